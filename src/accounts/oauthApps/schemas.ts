import { z } from 'zod';
import { formBool, formId, formList, formText } from '../../kit/form';

export const grantTypes = ['password', 'client_credentials', 'refresh_token'] as const;

const appName = () => formText({ max: 50 });

export const CreateAppBody = z.object({ name: appName().default('App') });

/** What is absent stays as it is; `sso` must be there (spec 4.1). */
export const UpdateAppBody = z.object({
  active: formBool().optional(),
  sso: formBool(),
  grant_types: listed(z.enum(grantTypes), grantTypes.length).optional(),
  name: appName().optional(),
  redirect_uris: listed(redirectUri(), 10).optional(),
});

export const AppId = z.object({ id: formId() });

/** `active`, `default` and `sso` are 0 or 1, `grantTypes` is one text (spec 2). */
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

/** The one time that the secret is shown. */
export const NewAppResponse = AppResponse.extend({ secret: z.string() });

export const AppListResponse = z.object({ total: z.int(), collection: z.array(AppResponse) });

export const SecretResponse = z.object({ secret: z.string() });

/** One empty element, as a form sends it (`redirect_uris[]=`), empties the list. */
function listed<T extends z.ZodType>(element: T, max: number) {
  const isNothing = (value: unknown) => Array.isArray(value) && value.length === 1 && value[0] === '';
  return z.preprocess((value) => (isNothing(value) ? [] : value), formList(element, max));
}

/**
 * Where a sign-in may end: compared letter by letter later, so it is kept as it is sent. Tokens follow its `#`, so it
 * has none of its own, and nobody on the way may read them: https, or plain on the developer's machine.
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
