import sharp from 'sharp';
import { brandFields } from '../support/examples/branding';
import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { createFollower } from '../support/followers';
import { download, imagesOf, logoPath, pngOf, upload, uploaded } from '../support/images';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (merchant = await createMerchant(app)));
afterAll(() => app.stop());

const logo = (body: Buffer) => upload(app, merchant, logoPath, body);
const refusal = (error: string) => ({ body: { error } });

test('201: a logo becomes PNG of at most 480 × 160 pixels, and keeps its transparency', async () => {
  const transparent = { r: 0, g: 0, b: 0, alpha: 0 };
  const sent = await sharp({ create: { width: 960, height: 200, channels: 4, background: transparent } })
    .webp()
    .toBuffer();
  const { url, ...shape } = await uploaded(app, merchant, logoPath, sent);
  expect(shape).toMatchObject({ content_type: 'image/png', width: 480, height: 100 });
  const { isOpaque } = await sharp((await download(app, url)).bytes).stats();
  expect(isOpaque).toBe(false);
});

test('201: a cover of a brand has the size of a cover', async () => {
  const found = await uploaded(app, merchant, '/v2/images/brands?kind=cover', await pngOf(2400, 600));
  expect(found).toMatchObject({ content_type: 'image/webp', width: 1200, height: 300 });
});

test('201: the address is a value for the fields of a brand', async () => {
  const { url } = await uploaded(app, merchant, logoPath, await pngOf());
  const saved = await call(app, 'POST', '/branding/paywall', { ...brandFields, paywall_brand_logo: url }, merchant);
  expect(saved.status).toBe(201);
});

test('201: `branding:write` is enough, and 403: without it nothing is stored', async () => {
  const designer = await createFollower(app, merchant, ['branding:write']);
  expect((await upload(app, designer, logoPath, await pngOf())).status).toBe(201);
  const editor = await createFollower(app, merchant, ['items:write']);
  expect(await upload(app, editor, logoPath, await pngOf())).toMatchObject({ status: 403, ...refusal('forbidden') });
});

test('422 invalid_input: the kind is a logo or a cover', async () => {
  const { status } = await upload(app, merchant, '/v2/images/brands?kind=poster', await pngOf());
  expect(status).toBe(422);
  expect(await imagesOf(app, merchant)).toEqual([]);
});

test('413 body_too_large: one byte above 8 MB', async () => {
  expect(await logo(Buffer.alloc(8 * 1024 * 1024 + 1))).toMatchObject({ status: 413, ...refusal('body_too_large') });
});

test('422 image_type_refused: SVG', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
  expect(await logo(svg)).toMatchObject({ status: 422, ...refusal('image_type_refused') });
});

test('422 image_unreadable: a file that ends early', async () => {
  const whole = await pngOf(300, 300);
  expect(await logo(whole.subarray(0, 60))).toMatchObject({ status: 422, ...refusal('image_unreadable') });
});

test('422 image_too_large: a side of more than 12,000 pixels', async () => {
  expect(await logo(await pngOf(12_001, 1))).toMatchObject({ status: 422, ...refusal('image_too_large') });
});

test('409 image_limit: a merchant has 2,000 images', async () => {
  const fill = `INSERT INTO images (merchant_id, hash, content_type, width, height, bytes)
    SELECT $1, encode(sha256(n::text::bytea), 'hex'), 'image/png', 1, 1, '' FROM generate_series(1, 2000) n`;
  await app.pool.query(fill, [merchant.id]);
  expect(await logo(await pngOf())).toMatchObject({ status: 409, ...refusal('image_limit') });
});
