import { z } from 'zod';
import { BrandingId } from '../branding/branding.schemas';
import { SecondFactorCode } from './secondFactors/secondFactors.schemas';
import { formEmail, formMetadata, formPastDate, formText } from '../kit/form';

/** 8 characters to 256 bytes of any kind: length makes a password strong. */
export const Password = z
  .string()
  .min(8)
  .refine((password) => Buffer.byteLength(password) <= 256, 'must be at most 256 bytes');

export const RegisterBody = z.object({
  full_name: z.string().min(1).max(250),
  username: formEmail(),
  password: Password,
  password_confirmation: z.string().max(256),
  type: z.enum(['consumer', 'merchant']),
  client_id: formText({ max: 100 }),
  grant_type: z.enum(['password', 'client_credentials', 'refresh_token']).default('password'),
  referrer: formText({ max: 2000 }).optional(),
  /** Required while the merchant verifies ages. */
  date_of_birth: formPastDate().optional(),
  metadata: formMetadata().optional(),
  /** The brand of the activation mail. */
  branding_id: BrandingId,
});

const credentials = {
  client_id: formText({ max: 100 }),
  username: z.string().max(254).optional(),
  password: z.string().max(256).optional(),
  /** A code of the authenticator app or a recovery code, for an account that has a second factor. */
  second_factor_code: SecondFactorCode.optional(),
  referrer: formText({ max: 2000 }).optional(),
};

export const AuthenticateBody = z.object({
  ...credentials,
  /** Replaces `username` and `password`. Comes with the error `second_factor_required`. */
  second_factor_challenge: z.string().max(256).optional(),
  grant_type: z.enum(['password', 'client_credentials', 'refresh_token']),
  client_secret: z.string().max(256).optional(),
  refresh_token: z.string().max(256).optional(),
});

export const AuthenticateBodyV2 = z.object({
  ...credentials,
  username: z.string().max(254),
  password: z.string().max(256),
  grant_type: z.enum(['password']),
});

/** The body that legacy clients send. */
export const LoginBody = z.object({
  email: z.string().max(254),
  password: z.string().max(256),
  merchant_uuid: formText({ max: 100 }),
});

/** Times are Unix seconds. 0 means none, because older clients decode integers. */
export const AccountResponse = z.object({
  id: z.int(),
  uuid: z.uuid(),
  merchant_id: z.int(),
  merchant_uuid: z.uuid(),
  username: z.string(),
  email: z.string(),
  full_name: z.string(),
  referrer: z.string(),
  metadata: z.record(z.string(), z.string()),
  social_apps_metadata: z.array(z.record(z.string(), z.string())),
  roles: z.array(z.string()),
  completed: z.boolean(),
  date_of_birth: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
  expired_at: z.int(),
});

/** Both `expires` and `expires_at`, in v1 and v2, because clients read either. */
export const AuthenticationResponse = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires: z.int(),
  expires_at: z.int(),
  account: AccountResponse,
});
