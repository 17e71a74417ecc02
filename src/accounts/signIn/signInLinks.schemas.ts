import { z } from 'zod';
import { BrandingId } from '../../branding/branding.schemas';
import { formEmail, formText } from '../../kit/form';

/** A path of the hosted portal or paywall, so that the link never leads to another site. */
const NextPath = z
  .string()
  .max(500)
  .regex(/^\/(portal|paywall)\/[0-9a-f-]{36}([/?][\w\-./?=&%]*)?$/i, 'must be a path of the portal or the paywall');

/** `merchant_uuid` is the client id of the app. */
export const LinkRequest = z.object({
  merchant_uuid: formText({ max: 100 }),
  email: formEmail('invalid param email'),
  branding_id: BrandingId,
  /** The next page after the sign-in; the portal by default. */
  next: NextPath.optional(),
});

export const LinkPath = z.object({ token: z.string().min(1).max(200) });

export const LinkBody = z.object({
  client_id: formText({ max: 100 }),
  second_factor_code: z.string().max(64).optional(),
});
