import { z } from 'zod';
import { formList, formText } from '../kit/form';

/** A PEM file in one line has `\n` in place of its line ends. */
const PrivateKey = z
  .string()
  .trim()
  .max(10_000)
  .transform((text) => text.replaceAll('\\n', '\n'));

const Host = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?=.*\.)[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/, 'must be a host name');

/** Fields that are not sent do not change. */
export const MediaSettingsBody = z.object({
  media_secret: formText({ min: 16, max: 500 }).optional(),
  cloudfront_key_pair_id: z
    .string()
    .trim()
    .regex(/^[A-Z0-9]{5,50}$/, 'must be capital letters and digits')
    .optional(),
  cloudfront_private_key: PrivateKey.optional(),
  cloudfront_hosts: formList(Host, 50).optional(),
});

/** Secrets are not returned. The response only shows whether they are set. */
export const MediaSettingsResponse = z.object({
  has_media_secret: z.boolean(),
  cloudfront_key_pair_id: z.string().nullable(),
  has_cloudfront_private_key: z.boolean(),
  cloudfront_hosts: z.array(z.string()),
});

export const MediaTokenQuery = z.object({
  media_id: formText({ max: 250 }),
  app_config_id: formText({ max: 250 }).optional(),
});

export const MediaTokenResponse = z.object({ token: z.string() });

/** Everything after `url=`, encoded or not, because clients send URLs with queries unencoded. */
export const SignedUrlQuery = z.object({
  url: z
    .preprocess((value) => (isRepeated(value) ? value.join('&url=') : value), z.string().max(4000))
    .meta({ description: 'Everything that follows `url=`, encoded or not' }),
});

const isRepeated = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string');

export const SignedUrlResponse = z.object({ video_url: z.string() });
