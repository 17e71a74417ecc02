import { z } from 'zod';
import { formBool, formText } from '../kit/form';

const prefix = 'pr_';

/** A profile's id is text in requests and responses. */
export const ProfilePath = z.object({
  id: z
    .string()
    .regex(/^pr_\d{1,9}$/)
    .transform((text) => Number(text.slice(prefix.length))),
});

const webAddress = z
  .string()
  .max(2048)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be a web address');

const Pin = z.preprocess(
  (value) => (typeof value === 'number' ? String(value) : value),
  z.string().regex(/^\d{4,8}$/, 'must be 4 to 8 digits'),
);

export const ProfileBody = z.object({
  name: formText({ max: 50 }).transform((name) => name.normalize('NFC')),
  adult: formBool(),
  avatar_url: webAddress.optional(),
});

export const NewProfileBody = ProfileBody.extend({ pin: Pin.optional() });

export const EnterProfileBody = z.object({ pin: Pin.optional() });

export const ProfileResponse = z.object({
  id: z.string(),
  account_id: z.string(),
  name: z.string(),
  avatar_url: z.string(),
  default: z.boolean(),
  adult: z.boolean(),
  pin_required: z.boolean(),
  created_at: z.int(),
  updated_at: z.int(),
});

export const EnteredProfileResponse = ProfileResponse.extend({
  credentials: z.object({ access_token: z.string(), expires: z.int() }),
});
