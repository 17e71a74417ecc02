import { z } from 'zod';

export const ImagePath = z.object({ merchant_uuid: z.uuid(), hash: z.string().regex(/^[0-9a-f]{64}$/) });

/** `logo`: stored as PNG, at most 480 × 160 pixels. `cover`: stored as WebP, at most 1200 × 1200 pixels. */
export const BrandImageQuery = z.object({ kind: z.enum(['logo', 'cover']) });

/** `url`: the value for a field of an item or a brand. */
export const UploadedImage = z.object({
  url: z.string(),
  content_type: z.string(),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
});

export const ImageBytes = z
  .custom<Uint8Array>((value) => value instanceof Uint8Array)
  .meta({ type: 'string', format: 'binary' });
