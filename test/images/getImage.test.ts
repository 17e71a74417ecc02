import { createMerchant, type Person } from '../support/factories';
import { coverPath, download, pngOf, uploaded } from '../support/images';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});
afterAll(() => app.stop());

test('200: anybody gets the image, to be kept for a year and never run', async () => {
  const { url, bytes } = await uploaded(app, merchant, coverPath, await pngOf());
  const found = await download(app, url);
  expect(found.status).toBe(200);
  expect(found.bytes).toHaveLength(bytes);
  const hash = url.split('/').at(-1);
  expect(Object.fromEntries(found.headers)).toMatchObject({
    'content-type': 'image/webp',
    'content-length': String(bytes),
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${hash}"`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  });
  const head = await download(app, url, {}, 'HEAD');
  expect([head.status, head.bytes.length, head.headers.get('content-type')]).toEqual([200, 0, 'image/webp']);
});

test('304: a client that names the tag gets no body', async () => {
  const { url } = await uploaded(app, merchant, coverPath, await pngOf());
  const tag = `"${url.split('/').at(-1)}"`;
  for (const sent of [tag, `W/${tag}`, `"other", ${tag}`]) {
    const found = await download(app, url, { 'If-None-Match': sent });
    expect([found.status, found.bytes.length, found.headers.get('etag')]).toEqual([304, 0, tag]);
  }
  expect((await download(app, url, { 'If-None-Match': '"other"' })).status).toBe(200);
});

test('404 image_not_found: an unknown hash, another merchant’s image, and what is no hash', async () => {
  const other = await createMerchant(app);
  const { url } = await uploaded(app, merchant, coverPath, await pngOf());
  const hash = url.split('/').at(-1) ?? '';
  const paths = [
    `${merchant.uuid}/${'0'.repeat(64)}`,
    `${other.uuid}/${hash}`,
    `${merchant.uuid}/${hash}.svg`,
    `x/${hash}`,
  ];
  for (const path of paths) {
    const { status, bytes } = await download(app, `http://any/images/${path}`);
    expect([status, JSON.parse(bytes.toString())]).toEqual([
      404,
      expect.objectContaining({ error: 'image_not_found' }),
    ]);
  }
});
