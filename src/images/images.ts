import { createHash } from 'node:crypto';
import { encodePicture, type PictureShape } from '../adapters/pictures';
import { transaction } from '../adapters/postgres/connection';
import { baseUrl } from '../adapters/settings';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { Answer, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { countImages, findImage, insertImage, keepImages } from './images.model';

export { keepImages };

export type ImageKind = 'logo' | 'cover';

/** Some mail programs show no WebP, and mails show the logo. */
const shapes: Record<ImageKind, PictureShape> = {
  logo: { width: 480, height: 160, format: 'png' },
  cover: { width: 1200, height: 1200, format: 'webp' },
};

/** The size of a photo of a current phone. */
export const uploadBytesMax = 8 * 1024 * 1024;
const imagesMax = 2000;

/** Stores the body of the request as an image of the merchant. The same picture has the same address again. */
export async function uploadImage(caller: Caller, kind: ImageKind, { raw, requestId }: RequestFacts) {
  const sent = raw?.body ?? Buffer.alloc(0);
  if (sent.length > uploadBytesMax) throw new AppError('body_too_large');
  const picture = await encodePicture(sent, shapes[kind]);
  const hash = createHash('sha256').update(picture.bytes).digest('hex');
  await transaction(async (inTransaction) => {
    const { others, isKnown } = await countImages(inTransaction, caller.merchantId, hash);
    if (!isKnown && others >= imagesMax) throw new AppError('image_limit');
    await insertImage(inTransaction, caller.merchantId, hash, picture);
    await audit(inTransaction, caller, { action: 'image.upload', object: ['image', hash], requestId });
  });
  const { contentType, width, height, bytes } = picture;
  const url = `${baseUrl}/images/${caller.merchantUuid}/${hash}`;
  return { url, content_type: contentType, width, height, bytes: bytes.length };
}

/** What an address shows never changes, so a browser keeps it. */
const headers = {
  'Cache-Control': 'public, max-age=31536000, immutable',
  'Content-Security-Policy': "default-src 'none'; sandbox",
};

/** The image, or only its tag if the client has it already. */
export async function getImage(merchantUuid: string, hash: string, { knownTags }: RequestFacts) {
  const image = await findImage(merchantUuid, hash);
  if (!image) throw new AppError('image_not_found');
  const tag = `"${hash}"`;
  const isKnown = knownTags?.split(',').some((known) => known.trim().replace(/^W\//, '') === tag) ?? false;
  const options = { headers: { ...headers, ETag: tag }, contentType: image.contentType };
  // Node.js sends no body with 304.
  return new Answer<Uint8Array>(image.bytes, { ...options, ...(isKnown && { status: 304 }) });
}
