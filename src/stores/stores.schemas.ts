import { z } from 'zod';
import { formBool, formInt, formText } from '../kit/form';

/**
 * A PEM file that is pasted as one line has `
 * ` instead of line ends.
 */
const PrivateKey = z
  .string()
  .trim()
  .max(10_000)
  .transform((text) => text.replaceAll('\\n', '\n'))
  .refine((text) => /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text), 'must be a private key in PEM');

const PackageName = formText({ max: 250 }).pipe(
  z.string().regex(/^[\w-]+(\.[\w-]+)+$/, 'must be the name of an app, as org.example.app'),
);

/** The app in App Store Connect, and a key for the App Store Server API. */
export const AppleBody = z.object({
  bundle_id: PackageName,
  app_apple_id: formInt().pipe(z.int().min(1).max(999_999_999_999)),
  issuer_id: z.uuid(),
  key_id: formText({ max: 50 }),
  private_key: PrivateKey,
});

/** A service account of Google Cloud, and the sender of push notifications. */
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

/** Secrets are never returned, only whether the store is set up and for which app. */
export const StoreResponse = z.object({
  platform: z.string(),
  is_configured: z.boolean(),
  app: z.string().nullable(),
  updated_at: z.int().nullable(),
});

export const StoresResponse = z.object({ collection: z.array(StoreResponse) });

/** `is_valid` if there are no problems. Each problem names the wrong field. */
export const StoreTestResponse = z.object({
  is_valid: z.boolean(),
  problems: z.array(z.object({ field: z.string(), message: z.string() })),
});

const transferPolicies = ['keep', 'transfer_if_inactive', 'transfer'] as const;

/** Absent fields stay as they are. */
export const StoreSettingsBody = z.object({
  transfer_policy: z.enum(transferPolicies).optional(),
  sandbox_purchases: formBool().optional(),
  unmapped_products: formBool().optional(),
  consumption_consent: formBool().optional(),
});

/**
 * `transfer_policy`: what happens when an account presents a purchase of another account. `sandbox_purchases`: whether
 * test purchases give access in production. `unmapped_products`: whether the app may name the fee of a product that no
 * fee is mapped to; the fee must be of the product's kind and must not cost more than was paid. `consumption_consent`:
 * whether customers consent to the transfer of consumption data to Apple when they request a refund.
 */
export const StoreSettingsResponse = z.object({
  transfer_policy: z.enum(transferPolicies),
  sandbox_purchases: z.boolean(),
  unmapped_products: z.boolean(),
  consumption_consent: z.boolean(),
});
