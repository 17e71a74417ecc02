import { hashedAddress } from '../../../src/pages/layout/hashedAddress';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${app.address}${path}`, { headers });
const linkOf = (page: string) => /<link rel="stylesheet" nonce="[^"]+" href="([^"]+)"/.exec(page)?.[1] ?? '';

test('the URL of an asset changes with its text, and only with it', () => {
  const address = hashedAddress('style.css', 'a { color: red }');
  expect(address).toMatch(/^\/assets\/style-[\da-f]{16}\.css$/);
  expect(hashedAddress('style.css', 'a { color: red }')).toBe(address);
  expect(hashedAddress('style.css', 'a { color: blue }')).not.toBe(address);
});

test('200: a page links to its style sheet, which browsers cache for a year', async () => {
  const page = await get('/console/sign-in');
  const nonce = /nonce="([^"]+)"/.exec(await page.clone().text())?.[1] ?? '';
  expect(page.headers.get('content-security-policy')).toContain(`style-src 'nonce-${nonce}'`);
  const response = await get(linkOf(await page.text()));
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  const style = await response.text();
  for (const rule of [':root{', '.stack>', '.field{', '.table-scroll{', '.cover{', '.portal-menu', '.banner'])
    expect(style).toContain(rule);
});

test('200: an Arabic page is laid out from right to left, with the same style sheet', async () => {
  const english = await (await get('/console/sign-in')).text();
  const arabic = await (await get('/console/sign-in', { 'Accept-Language': 'ar' })).text();
  expect(arabic).toContain('<html lang="ar" dir="rtl">');
  expect(linkOf(arabic)).toBe(linkOf(english));
  const style = await (await get(linkOf(arabic))).text();
  // Sides are logical: a physical one would be wrong in one of the two directions.
  expect(
    style.match(/\b(margin|padding|border)-(left|right)\b|^\s*(left|right):|(float|text-align): (left|right)/gm),
  ).toBe(null);
});

test('200: a page loads its typeface beside the style sheet, which names the same address', async () => {
  const page = await (await get('/console/sign-in')).text();
  const address = /<link rel="preload" as="font" [^>]*href="([^"]+)"/.exec(page)?.[1] ?? '';
  expect(await (await get(linkOf(page))).text()).toContain(`url('${address}')`);
  const response = await get(address);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'font/woff2']);
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect((await response.arrayBuffer()).byteLength).toBeLessThan(16_000);
  expect(await (await get('/console/sign-in', { 'Accept-Language': 'ar' })).text()).not.toContain('as="font"');
});

test('404: an asset with another hash, or without one', async () => {
  const link = linkOf(await (await get('/console/sign-in')).text());
  for (const path of [link.replace(/-[\da-f]+/, '-0123456789abcdef'), '/assets/portal.css']) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, 404]);
    expect(response.headers.get('cache-control') ?? '').not.toContain('immutable');
  }
});
