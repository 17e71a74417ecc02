import type Sharp from 'sharp';
import { WorkQueue } from '../kit/concurrency';
import { AppError } from '../kit/errors';
import { lazily } from '../kit/lazily';

/** Encodes an uploaded picture again, because a file can contain scripts and metadata. Only the pixels are kept. */

/** At most this wide and high, in pixels. Smaller pictures keep their size. */
export interface PictureShape {
  width: number;
  height: number;
  format: 'png' | 'webp';
}

export interface Picture {
  bytes: Buffer;
  contentType: 'image/png' | 'image/webp';
  width: number;
  height: number;
}

/** A picture of a current camera has at most 50 million pixels. Decoded, it needs 4 bytes for each. */
const pixelsMax = 50_000_000;
const sideMax = 12_000;
const secondsMax = 15;
/** A decoded picture needs up to 200 MB, so only two are decoded at the same time. */
const decodings = new WorkQueue(2, 16);

/** The first bytes of each accepted type. */
const beginnings = [/^\x89PNG\r\n\x1a\n/, /^\xff\xd8\xff/, /^RIFF[^]{4}WEBP/, /^GIF8[79]a/];

const loaders = ['PngBuffer', 'JpegBuffer', 'WebpBuffer', 'NsgifBuffer'];

const sharp = lazily(require, 'sharp');
let prepared: typeof Sharp | undefined;

/** The loaders of other types, such as SVG and PDF, have had more security faults. All but four are blocked. */
function prepare(): typeof Sharp {
  if (prepared) return prepared;
  const library = sharp() as typeof Sharp;
  library.block({ operation: ['VipsForeignLoad'] });
  library.unblock({ operation: loaders.map((name) => `VipsForeignLoad${name}`) });
  library.concurrency(1);
  library.cache(false);
  return (prepared = library);
}

/**
 * The picture in the given shape, upright, in sRGB and without metadata. Of an animation it has the first frame. Throws
 * `image_type_refused`, `image_too_large` and `image_unreadable`.
 */
export async function encodePicture(sent: Buffer, shape: PictureShape): Promise<Picture> {
  const start = sent.subarray(0, 12).toString('latin1');
  if (!beginnings.some((beginning) => beginning.test(start))) throw new AppError('image_type_refused');
  return decodings.run(async () => {
    const opened = prepare()(sent, { failOn: 'error', limitInputPixels: pixelsMax, pages: 1, sequentialRead: true });
    await refuseLarge(opened);
    return encode(opened, shape);
  });
}

/** Reads only the head of the file. */
async function refuseLarge(opened: Sharp.Sharp): Promise<void> {
  const { width, height } = await readable(() => opened.metadata());
  if (width > sideMax || height > sideMax || width * height > pixelsMax) throw new AppError('image_too_large');
}

async function encode(opened: Sharp.Sharp, { width, height, format }: PictureShape): Promise<Picture> {
  const shaped = opened
    .timeout({ seconds: secondsMax })
    .autoOrient()
    .resize({ width, height, fit: 'inside', withoutEnlargement: true });
  const written =
    format === 'png' ? shaped.png({ palette: true, quality: 90, compressionLevel: 9 }) : shaped.webp({ quality: 75 });
  const { data, info } = await readable(() => written.toBuffer({ resolveWithObject: true }));
  return { bytes: data, contentType: `image/${format}`, width: info.width, height: info.height };
}

async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isLarge = error instanceof Error && /exceeds pixel limit/i.test(error.message);
    throw new AppError(isLarge ? 'image_too_large' : 'image_unreadable');
  }
}
