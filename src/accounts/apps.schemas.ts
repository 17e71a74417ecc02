import { z } from 'zod';
import { formBool, formId, formList, formText } from '../kit/form';
import { pageOf } from '../kit/page';

export const grantTypes = ['password', 'client_credentials', 'refresh_token'] as const;

const appName = () => formText({ max: 50 });

export const CreateAppBody = z.object({ name: appName().default('App') });

/** Absent fields stay as they are; `sso` is required. */
export const UpdateAppBody = z.object({
  active: formBool().optional(),
  sso: formBool(),
  grant_types: listed(z.enum(grantTypes), grantTypes.length).optional(),
  name: appName().optional(),
  redirect_uris: listed(redirectUri(), 10).optional(),
});

export const AppId = z.object({ id: formId() });

/** `active`, `default` and `sso` are 0 or 1; `grantTypes` is one text. */
export const AppResponse = z.object({
  id: z.int(),
  account_id: z.int(),
  client_id: z.string(),
  name: z.string(),
  active: z.int(),
  grantTypes: z.string(),
  default: z.int(),
  sso: z.int(),
  redirect_uris: z.array(z.string()),
});

/** The secret is shown in this response only. */
export const NewAppResponse = AppResponse.extend({ secret: z.string() });

export const AppListResponse = pageOf(AppResponse);

export const SecretResponse = z.object({ secret: z.string() });

/** One empty element, as a form sends it (`redirect_uris[]=`), empties the list. */
function listed<T extends z.ZodType>(element: T, max: number) {
  const isNothing = (value: unknown) => Array.isArray(value) && value.length === 1 && value[0] === '';
  return z.preprocess((value) => (isNothing(value) ? [] : value), formList(element, max));
}

/**
 * An address to which a sign-in may redirect. It is kept as sent, because it is later compared exactly. Tokens are
 * appended as its fragment, so it must not have one. Plain http is allowed only for a loopback host.
 */
function redirectUri() {
  return z
    .string()
    .max(2048)
    .refine((text) => isRedirectUri(text), 'must be an https address without a fragment, a user or a wildcard');
}

function isRedirectUri(text: string): boolean {
  if (!URL.canParse(text) || /[\s#*\\]/.test(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && username === '' && password === '';
}
