import { get as request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { createFee, createItem, createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

interface Wire {
  encoding: string | undefined;
  vary: string | undefined;
  bytes: Buffer;
  /** The bytes of the headers. */
  headers: number;
}

/** The bytes on the wire. Unlike fetch, this does not decompress them. */
const read = (path: string, accepted?: string) =>
  new Promise<Wire>((resolve, reject) => {
    const asked = { Accept: 'text/html', ...(accepted !== undefined && { 'Accept-Encoding': accepted }) };
    request(`${app.address}${path}`, { headers: asked }, (response) => {
      const { 'content-encoding': encoding, vary } = response.headers;
      const headers = response.rawHeaders.reduce((sum, text) => sum + text.length + ': '.length, 0);
      buffer(response).then((bytes) => resolve({ encoding, vary, bytes, headers }), reject);
    }).on('error', reject);
  });

async function assets(page: string): Promise<string[]> {
  const { bytes } = await read(page);
  return [...bytes.toString().matchAll(/(?:href|src)="(\/assets\/[^"]+\.(?:css|js))"/g)].map(([, path]) => path ?? '');
}

test.each([
  ['br', 'br, gzip, deflate', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
])(
  '200: %s is used for the styles and scripts of a page, and they are what they were',
  async (encoding, accepted, unpack) => {
    const paths = [...(await assets('/console/sign-in')), ...(await assets('/docs')), '/embed.js'];
    expect(paths.length).toBe(5);
    const sizes = { plain: 0, packed: 0 };
    for (const path of paths) {
      const [plain, packed] = [await read(path), await read(path, accepted)];
      expect([path, plain.encoding, packed.encoding]).toEqual([path, undefined, encoding]);
      expect(packed.vary).toContain('Accept-Encoding');
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length);
      expect(unpack(packed.bytes)).toEqual(plain.bytes);
      sizes.plain += plain.bytes.length;
      sizes.packed += packed.bytes.length;
    }
    // A small script that is minified has fewer repetitions, so a single one can need more than half.
    expect(sizes.packed).toBeLessThan(sizes.plain / 2);
  },
);

test('200: a page is compressed, for browsers that read that', async () => {
  const packed = await read('/console/sign-in', 'br');
  expect(packed.encoding).toBe('br');
  for (const header of ['Accept-Encoding', 'HX-Request', 'Cookie', 'Accept-Language'])
    expect(packed.vary).toContain(header);
  expect(brotliDecompressSync(packed.bytes).toString()).toMatch(/^<!doctype html>[^]*<\/html>\s*$/);
  for (const refusing of ['identity', 'br;q=0', '']) {
    const plain = await read('/console/sign-in', refusing);
    expect([refusing, plain.encoding]).toEqual([refusing, undefined]);
  }
});

test('200: answers of endpoints are not compressed, because they contain tokens beside texts of the caller', async () => {
  const merchant = await createMerchant(app);
  for (const title of ['One', 'Two', 'Three']) await createItem(app, merchant, { title: title.repeat(30) });
  const answer = await read(`/items/${merchant.uuid}`, 'br, gzip');
  expect(answer.bytes.length).toBeGreaterThan(1_024);
  expect([answer.encoding, answer.vary ?? '']).toEqual([undefined, '']);
});

const kilobyte = 1_000;

test.each([
  ['a paywall', 45, () => paywallPath()],
  ['the sign-in of the console', 60, () => '/console/sign-in'],
])(
  '%s that is opened for the first time needs at most %i kB and 4 requests, with the headers',
  async (_name, limit, open) => {
    const page = await open();
    const html = brotliDecompressSync((await read(page, 'br')).bytes).toString();
    const paths = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    const parts = await Promise.all([page, ...paths].map((path) => read(path, 'br')));
    expect(parts.length).toBeLessThanOrEqual(4);
    const sizes = parts.map(({ bytes, headers }) => bytes.length + headers);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(limit * kilobyte);
  },
);

async function paywallPath(): Promise<string> {
  const merchant = await createMerchant(app);
  const item = await createItem(app, merchant);
  await createFee(app, merchant, item.id);
  await createFee(app, merchant, item.id, { period: 'year', amount: '99.00', description: 'Yearly' });
  return `/paywall/${merchant.uuid}/${item.id}`;
}
