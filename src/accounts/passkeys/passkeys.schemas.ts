import { z } from 'zod';
import { formText } from '../../kit/form';

/** Binary fields are base64url, as the browser's `toJSON` writes them. */
const binary = (max: number) => z.string().max(max);
const transports = z.array(z.string().max(32)).max(10).optional();

const Credential = z.object({
  id: binary(1400),
  rawId: binary(1400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.string().max(32).nullish(),
});

/** The answer of `navigator.credentials.create`. */
export const NewCredential = Credential.extend({
  response: z.object({ clientDataJSON: binary(4000), attestationObject: binary(20_000), transports }),
});

/** The answer of `navigator.credentials.get`. */
export const UsedCredential = Credential.extend({
  response: z.object({
    clientDataJSON: binary(4000),
    authenticatorData: binary(4000),
    signature: binary(8000),
    userHandle: binary(200).nullish(),
  }),
});

/**
 * `password`: required only if the account has no other second factor and the sign-in was more than ten minutes ago.
 */
export const OwnerBody = z.object({ password: z.string().max(256).optional() });
const PasskeyName = formText({ min: 1, max: 100 });
export const CreatePasskeyBody = z.object({ name: PasskeyName.optional(), credential: NewCredential });
export const RenamePasskeyBody = z.object({ name: PasskeyName });
export const PasskeyPath = z.object({ passkey_id: z.uuid() });
export const SignInOptionsBody = z.object({ client_id: formText({ max: 100 }) });
export const SignInBody = SignInOptionsBody.extend({ credential: UsedCredential });
export const ConfirmBody = z.object({ credential: UsedCredential });

/** For `PublicKeyCredential.parseCreationOptionsFromJSON`. Valid for five minutes, and once. */
export const CreationOptions = z.looseObject({ challenge: z.string(), timeout: z.int().optional() });
/** For `PublicKeyCredential.parseRequestOptionsFromJSON`. Valid for five minutes, and once. */
export const RequestOptions = z.looseObject({ challenge: z.string(), timeout: z.int().optional() });

/** Times are Unix time. */
export const PasskeyResponse = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Whether the passkey is stored on more than one device. */
  is_backed_up: z.boolean(),
  created_at: z.int(),
  last_used_at: z.int().nullable(),
});
export const PasskeysResponse = z.object({ collection: z.array(PasskeyResponse) });
