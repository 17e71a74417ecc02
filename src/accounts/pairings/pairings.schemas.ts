import { z } from 'zod';
import { formBool, formText } from '../../kit/form';

/** `client_id` is the app of the device, or the merchant's uuid. `device_name` is shown to the person who confirms. */
export const StartBody = z.object({
  client_id: formText({ max: 100 }),
  device_name: formText({ max: 100 }).optional(),
});

/** The fields of RFC 8628, section 3.2. Times are in seconds. */
export const StartedPairing = z.object({
  /** The secret of the device. It polls with it. */
  device_code: z.string(),
  /** The code that the device shows: `BDFK-LMNP`. */
  user_code: z.string(),
  /** The page of the portal at which people enter the code. */
  verification_uri: z.url(),
  /** The same page with the code. */
  verification_uri_complete: z.url(),
  /** A picture of `verification_uri_complete`: a GIF as a data URL. */
  qr_code: z.string(),
  expires_in: z.int(),
  /** The shortest time between two polls. */
  interval: z.int(),
});

export const TokenBody = z.object({
  client_id: formText({ max: 100 }),
  device_code: z.string().min(1).max(256),
});

/** Case, spaces and hyphens do not matter. */
export const PairingPath = z.object({ user_code: z.string().min(1).max(100) });

export const AnswerBody = z.object({ is_approved: formBool() });

/** Times are Unix seconds. Empty texts are unknown. */
export const PairingResponse = z.object({
  user_code: z.string(),
  device_name: z.string(),
  device_type: z.string(),
  device_os: z.string(),
  country: z.string(),
  city: z.string(),
  created_at: z.int(),
  expires_at: z.int(),
});
