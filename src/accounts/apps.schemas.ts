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
  redirect_uris: listed(redirectUri(), 50).optional(),
  redirect_origins: listed(redirectOrigin(), 10).optional(),
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
  redirect_origins: z.array(z.string()),
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
 * An address to which a sign-in may redirect. It is stored as sent, because it is later compared exactly. Tokens are
 * appended as its fragment, so it must not have one. Plain http is allowed only for a loopback host. An app on a device
 * registers its own scheme.
 */
function redirectUri() {
  return z
    .string()
    .max(2048)
    .refine(
      (text) => isPlainAddress(text) && (isWebAddress(text) || isAppAddress(text)),
      'must be an https address or an address of an app, without a fragment, a user or a wildcard',
    );
}

/** `https://shop.example.org`: every page of this origin may receive tokens. */
function redirectOrigin() {
  return z
    .string()
    .max(2048)
    .refine(
      (text) => isPlainAddress(text) && isWebAddress(text) && new URL(text).origin === text,
      'must be an https origin, such as https://shop.example.org',
    );
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text) || /[\s#*\\]/.test(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

function isWebAddress(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLocal);
}

/** Schemes that browsers and systems handle themselves. */
const publicSchemes =
  /^(?:https?|wss?|ftps?|file|data|blob|javascript|vbscript|about|view-source|filesystem|intent|mailto|tel|sms|urn|jar|ms-.*):/;

/** `myapp://login` or `com.example.app:/login` (RFC 8252 7.1). */
function isAppAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]{2,}:\/[^\s]*$/.test(text) && !publicSchemes.test(text);
}
