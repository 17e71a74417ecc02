import sharp from 'sharp';
import { createMerchant, type Person } from '../support/factories';
import { createFollower } from '../support/followers';
import {
  coverPath,
  download,
  green,
  imagesOf,
  plain,
  pngOf,
  red,
  upload,
  uploaded,
  type Uploaded,
} from '../support/images';
import { auditOf } from '../support/oauthApps';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (merchant = await createMerchant(app)));
afterAll(() => app.stop());

const cover = (body: Buffer) => upload(app, merchant, coverPath, body);
const stored = async (body: Buffer) => {
  const { url } = await uploaded(app, merchant, coverPath, body);
  return sharp((await download(app, url)).bytes);
};

/** The colour of the point, within the loss of the encoder. */
async function colourAt(picture: sharp.Sharp, left: number, top: number) {
  const [r = 0, g = 0, b = 0] = await picture
    .clone()
    .extract({ left, top, width: 1, height: 1 })
    .removeAlpha()
    .raw()
    .toBuffer();
  return r > g && r > b ? 'red' : g > b ? 'green' : 'blue';
}

test.each(['png', 'jpeg', 'webp', 'gif'] as const)(
  '201: a %s file becomes WebP at an address with its hash',
  async (format) => {
    const { status, body } = await upload<Uploaded>(
      app,
      merchant,
      coverPath,
      await plain(40, 20).toFormat(format).toBuffer(),
    );
    expect(status).toBe(201);
    const [hash] = await imagesOf(app, merchant);
    expect(body).toEqual({
      url: expect.stringMatching(new RegExp(`^http.*/images/${merchant.uuid}/${hash}$`)) as string,
      content_type: 'image/webp',
      width: 40,
      height: 20,
      bytes: expect.any(Number) as number,
    });
  },
);

test('201: the type is decided by the bytes, and not by the Content-Type', async () => {
  const options = { 'Content-Type': 'image/svg+xml' };
  expect((await upload(app, merchant, coverPath, await pngOf(), options)).status).toBe(201);
});

test('201: a large picture becomes 1200 pixels wide or high, and a small one keeps its size', async () => {
  expect(await uploaded(app, merchant, coverPath, await pngOf(2400, 600))).toMatchObject({ width: 1200, height: 300 });
  expect(await uploaded(app, merchant, coverPath, await pngOf(600, 2400))).toMatchObject({ width: 300, height: 1200 });
  expect(await uploaded(app, merchant, coverPath, await pngOf(1, 1))).toMatchObject({ width: 1, height: 1 });
});

test('201: metadata such as the place of a photo is removed, and the photo is upright', async () => {
  const photo = await sharp({ create: { width: 60, height: 30, channels: 3, background: red } })
    .composite([{ input: await pngOf(30, 30, green), left: 0, top: 0 }])
    .withExif({ IFD0: { Copyright: 'Ana Petrova' }, IFD3: { GPSLatitude: '41/1 59/1 46/1' } })
    .withMetadata({ orientation: 6 })
    .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Ana Petrova</x:xmpmeta>')
    .jpeg()
    .toBuffer();
  expect(photo.includes('Ana Petrova')).toBe(true);
  expect((await sharp(photo).metadata()).orientation).toBe(6);
  const shown = await stored(photo);
  const { exif, xmp, icc, iptc, orientation, width, height } = await shown.metadata();
  expect({ exif, xmp, icc, iptc, orientation, width, height }).toEqual({ width: 30, height: 60 });
  expect([await colourAt(shown, 15, 5), await colourAt(shown, 15, 55)]).toEqual(['green', 'red']);
});

test('201: an animation becomes its first frame', async () => {
  const frames = await sharp([await pngOf(20, 20, green), await pngOf(20, 20, red)], { join: { animated: true } })
    .gif({ delay: [100, 100] })
    .toBuffer();
  expect((await sharp(frames).metadata()).pages).toBe(2);
  const shown = await stored(frames);
  const { pages, height } = await shown.metadata();
  expect({ pages, height }).toEqual({ height: 20 });
  expect(await colourAt(shown, 10, 10)).toBe('green');
});

test('201: what stands behind the picture in the file is not stored', async () => {
  const polyglot = Buffer.concat([await pngOf(), Buffer.from('PK\u0003\u0004<script>alert(1)</script>')]);
  const { url } = await uploaded(app, merchant, coverPath, polyglot);
  expect((await download(app, url)).bytes.includes('script')).toBe(false);
});

test('201: the same picture has the same address, and is stored once', async () => {
  const first = await uploaded(app, merchant, coverPath, await pngOf());
  expect(await uploaded(app, merchant, coverPath, await pngOf())).toEqual(first);
  expect(await imagesOf(app, merchant)).toHaveLength(1);
});

test('201: the upload is in the audit log', async () => {
  await cover(await pngOf());
  const [hash] = await imagesOf(app, merchant);
  const entry = { action: 'image.upload', object_type: 'image', object_id: hash, actor_account_id: merchant.id };
  expect((await auditOf(app, merchant))[0]).toMatchObject(entry);
});

test('201: `items:write` is enough, and 403: without it nothing is stored', async () => {
  const editor = await createFollower(app, merchant, ['items:write']);
  expect((await upload(app, editor, coverPath, await pngOf())).status).toBe(201);
  const designer = await createFollower(app, merchant, ['branding:write']);
  expect(await upload(app, designer, coverPath, await pngOf())).toMatchObject({
    status: 403,
    body: { error: 'forbidden' },
  });
  expect(await imagesOf(app, designer)).toEqual([]);
});

test('413 body_too_large: a file of 8 MB is read, and one more byte is refused', async () => {
  const bytesMax = 8 * 1024 * 1024;
  const picture = await pngOf();
  const padded = (bytes: number) => Buffer.concat([picture, Buffer.alloc(bytes - picture.length)]);
  expect((await cover(padded(bytesMax))).status).toBe(201);
  expect(await cover(padded(bytesMax + 1))).toMatchObject({ status: 413, body: { error: 'body_too_large' } });
});

test.each([
  ['nothing', ''],
  ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'],
  ['SVG after an XML declaration', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['HTML', '<!doctype html><script>alert(1)</script>'],
  ['PDF', '%PDF-1.7\n'],
  ['BMP', 'BM\u0000\u0000\u0000\u0000'],
  ['TIFF', 'II*\u0000\u0008\u0000\u0000\u0000'],
  ['AVIF', '\u0000\u0000\u0000\u001cftypavif'],
])('422 image_type_refused: %s', async (_name, text) => {
  expect(await cover(Buffer.from(text, 'latin1'))).toMatchObject({
    status: 422,
    body: { error: 'image_type_refused' },
  });
  expect(await imagesOf(app, merchant)).toEqual([]);
});

describe('a damaged file', () => {
  const refused = async (body: Buffer) => {
    expect(await cover(body)).toMatchObject({ status: 422, body: { error: 'image_unreadable' } });
    expect(await imagesOf(app, merchant)).toEqual([]);
  };
  test.each(['png', 'jpeg', 'webp'] as const)('422 image_unreadable: a %s file that ends early', async (format) => {
    const noise = sharp({
      create: { width: 200, height: 200, channels: 3, background: red, noise: { type: 'gaussian', sigma: 40 } },
    });
    const whole = await noise.toFormat(format).toBuffer();
    await refused(whole.subarray(0, whole.length >> 1));
  });

  test.each(['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF\x10\0\0\0WEBP', 'GIF89a'])(
    'only the first bytes: %j',
    async (text) => {
      await refused(Buffer.from(text, 'latin1'));
    },
  );

  test('422 image_unreadable: SVG behind the first bytes of a PNG file', async () => {
    await refused(
      Buffer.from('\x89PNG\r\n\x1a\n<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'latin1'),
    );
  });
});

describe('too many pixels', () => {
  const refused = async (body: Buffer) => {
    expect(await cover(body)).toMatchObject({ status: 422, body: { error: 'image_too_large' } });
    expect(await imagesOf(app, merchant)).toEqual([]);
  };

  test('422 image_too_large: a side of 12,000 pixels is read, and one more pixel is refused', async () => {
    expect((await cover(await pngOf(12_000, 1))).status).toBe(201);
    await app.pool.query('DELETE FROM images WHERE merchant_id = $1', [merchant.id]);
    await refused(await pngOf(12_001, 1));
    await refused(await pngOf(1, 12_001));
  });

  test('422 image_too_large: a small file of 60 million pixels', async () => {
    const bomb = await pngOf(10_000, 6_000);
    expect(bomb.length).toBeLessThan(1_000_000);
    await refused(bomb);
  });

  test('422: a file whose head says more points than it has', async () => {
    const bomb = await pngOf();
    bomb.writeUInt32BE(2_000_000_000, 16);
    const { status } = await cover(bomb);
    expect(status).toBe(422);
    expect(await imagesOf(app, merchant)).toEqual([]);
  });
});

test('409 image_limit: a merchant has 2,000 images, and may upload one of them again', async () => {
  const known = await pngOf();
  await cover(known);
  const fill = `INSERT INTO images (merchant_id, hash, content_type, width, height, bytes)
    SELECT $1, encode(sha256(n::text::bytea), 'hex'), 'image/png', 1, 1, '' FROM generate_series(1, $2) n`;
  await app.pool.query(fill, [merchant.id, 1_998]);
  expect((await cover(await pngOf(41))).status).toBe(201);
  expect(await cover(await pngOf(42))).toMatchObject({ status: 409, body: { error: 'image_limit' } });
  expect((await cover(known)).status).toBe(201);
});
