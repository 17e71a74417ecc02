import { z } from 'zod';
import { formBool, formList, formText } from '../../kit/form';

/** Without a query and a fragment, as OpenID Connect Discovery requires. */
const Issuer = formText({ max: 500 })
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an address that begins with https')
  .refine((text) => {
    const { username = '', password = '' } = URL.parse(text) ?? {};
    return username === '' && password === '' && !/[?#]/.test(text);
  }, 'must have no query, fragment or password');

const Domain = formText({ max: 253 })
  .pipe(z.string().toLowerCase())
  .pipe(
    z
      .string()
      .regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/, 'must be names such as example.org'),
  );

/** Without a secret, the stored one stays. A new issuer or client needs its own. */
export const CompanyProviderBody = z.object({
  issuer: Issuer,
  client_id: formText({ max: 500 }),
  client_secret: formText({ max: 2000 }).optional(),
  domains: formList(Domain, 50).pipe(z.array(z.string()).min(1)),
  is_active: formBool().optional(),
});

/** Times are Unix time. `redirect_uri` is registered at the provider. Staff signs in at `sign_in_url`. */
export const CompanyProviderResponse = z.object({
  issuer: z.string(),
  client_id: z.string(),
  domains: z.array(z.string()),
  is_active: z.boolean(),
  redirect_uri: z.url(),
  sign_in_url: z.url(),
  created_at: z.int(),
  updated_at: z.int(),
});

const wrongFields = ['issuer', 'client_id', 'client_secret'] as const;
const problems = [
  'not_public',
  'not_found',
  'mismatch',
  'no_answer',
  'unknown_client',
  'wrong_secret',
  'unreadable',
] as const;

export const CompanyTestResponse = z.object({
  is_valid: z.boolean(),
  problems: z.array(z.object({ field: z.enum(wrongFields), problem: z.enum(problems), message: z.string() })),
});

export const CompanyPath = z.object({ merchant_uuid: z.uuid() });

/** `fresh`: the provider asks the person again, which confirms the session. */
export const CompanySignInQuery = z.object({
  next: z
    .string()
    .max(2000)
    .regex(/^\/console(?:[/?]|$)/, 'must be a page of the console')
    .optional(),
  fresh: formBool().optional(),
});
