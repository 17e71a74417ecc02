import { z } from 'zod';
import { formBool, formInt, formText } from '../../kit/form';

/** A PEM file that was pasted into one line has `\n` for its line ends. */
const PrivateKey = z
  .string()
  .trim()
  .max(10_000)
  .transform((text) => text.replaceAll('\\n', '\n'))
  .refine((text) => /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text), 'must be a private key in PEM');

const PackageName = formText({ max: 250 }).pipe(
  z.string().regex(/^[\w-]+(\.[\w-]+)+$/, 'must be the name of an app, as org.example.app'),
);

/** What a merchant has from App Store Connect: its app, and a key for the App Store Server API. */
export const AppleBody = z.object({
  bundle_id: PackageName,
  app_apple_id: formInt().pipe(z.int().min(1).max(999_999_999_999)),
  issuer_id: z.uuid(),
  key_id: formText({ max: 50 }),
  private_key: PrivateKey,
});

/** From Google Cloud and Play Console: a service account, and who pushes the notifications. */
export const GooglePlayBody = z.object({
  package_name: PackageName,
  client_email: formText({ max: 250 }),
  private_key: PrivateKey,
  push_service_account: formText({ max: 250 }),
  push_audience: formText({ max: 1000 }),
});

export const AmazonBody = z.object({
  package_name: PackageName,
  shared_secret: formText({ max: 500 }),
  topic_arn: formText({ max: 500 }).pipe(z.string().regex(/^arn:aws[\w-]*:sns:/, 'must be the ARN of a topic')),
});

export const RokuBody = z.object({
  partner_api_key: formText({ max: 500 }),
  channel_id: formText({ max: 50 }).pipe(z.string().regex(/^\d+$/, 'must be the number of a channel')),
});

export const StorePath = z.object({ platform: z.enum(['apple', 'google-play', 'amazon', 'roku']) });

/** Secrets are never answered, only whether the store is set up, and for which app. */
export const StoreResponse = z.object({
  platform: z.string(),
  is_configured: z.boolean(),
  app: z.string().nullable(),
  updated_at: z.int().nullable(),
});

export const StoresResponse = z.object({ collection: z.array(StoreResponse) });

/** `is_valid` when there is no problem; each names the field that is wrong. */
export const StoreTestResponse = z.object({
  is_valid: z.boolean(),
  problems: z.array(z.object({ field: z.string(), message: z.string() })),
});

const transferPolicies = ['keep', 'transfer_if_inactive', 'transfer'] as const;

/** What is not sent stays. */
export const StoreSettingsBody = z.object({
  transfer_policy: z.enum(transferPolicies).optional(),
  sandbox_purchases: formBool().optional(),
});

/**
 * `transfer_policy`: what happens when an account presents a purchase that another one has; `sandbox_purchases`: whether
 * the stores' test purchases open anything in production.
 */
export const StoreSettingsResponse = z.object({
  transfer_policy: z.enum(transferPolicies),
  sandbox_purchases: z.boolean(),
});
