import { z } from 'zod';
import { formId, formText } from '../../kit/form';
import { Message } from '../../kit/page';

/** Six digits of the authenticator app, or a recovery code. Spaces and hyphens are ignored. */
export const SecondFactorCode = formText({ max: 64 });

export const PasswordBody = z.object({ password: z.string().max(256) });
/** `password` is required, except for an account without a password in a session of the last ten minutes. */
export const EnrolmentBody = PasswordBody.partial();
export const FactorCodeBody = z.object({ code: SecondFactorCode });
export const CustomerPath = z.object({ id: formId() });
export const FactorPath = z.object({ factor_id: z.uuid() });

/** Times are Unix time. */
export const FactorResponse = z.object({ id: z.uuid(), kind: z.enum(['totp']), confirmed_at: z.int() });
export const FactorsResponse = z.object({
  collection: z.array(FactorResponse),
  /** The number of unused recovery codes. */
  recovery_codes_left: z.int(),
});

/** The only answer that contains the secret. `uri` is the content of the QR code for the authenticator app. */
export const NewFactorResponse = z.object({ id: z.uuid(), secret: z.string(), uri: z.string(), expires_at: z.int() });

/** The only answer that contains these codes. Each code works once. */
export const RecoveryCodesResponse = Message.extend({ recovery_codes: z.array(z.string()) });
