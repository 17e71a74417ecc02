import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { languages } from '../../../src/kit/languages';
import { textsFor } from '../../../src/pages/layout/texts';
import { call } from '../../support/client';
import {
  type Chromium,
  clickAway,
  describeInBrowser,
  pressAway,
  pressInFrame,
  startChromium,
  type Visitor,
  untilTrue,
} from '../../support/chromium';
import { createFee, createShop, password } from '../../support/factories';
import { giveByHand } from '../../support/access';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: the script for merchants’ pages is one file of less than 10 kB that needs no other', async () => {
  const { status, headers, body } = await call<string>(app, 'GET', '/embed.js');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  expect(Buffer.byteLength(body)).toBeLessThan(10_000);
  expect(gzipSync(body).length).toBeLessThan(10_000);
  expect(body).not.toMatch(/\bimport\b|\brequire\(|\beval\(/);
});

test('200: what pages load comes from here, and is kept by browsers until it changes itself', async () => {
  const { merchant, item } = await createShop(app);
  const { body } = await call<string>(app, 'GET', `/paywall/${merchant.uuid}/${item.id}`);
  const parts = [...body.matchAll(/(?:src|href)="(\/assets[^"]+)"/g)].map(([, address]) => address ?? '');
  expect(parts.length).toBe(3);
  for (const part of parts) {
    const asset = await fetch(`${app.address}${part}`);
    expect([part, asset.status, asset.headers.get('cache-control')]).toEqual([
      part,
      200,
      expect.stringContaining('immutable'),
    ]);
    const version = createHash('sha256')
      .update(await asset.bytes())
      .digest('hex')
      .slice(0, 16);
    expect(/-([\da-f]+)\.\w+$/.exec(part)?.[1]).toBe(version);
  }
});

describeInBrowser('the paywall on a merchant’s page', () => {
  let chromium: Chromium;
  let site: Server;
  let page: string;
  /** One visitor for the tests of labels, which load nothing but the script. */
  let labelled: Visitor;

  beforeAll(async () => {
    chromium = await startChromium();
    labelled = await chromium.newVisitor();
    site = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(page));
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
  });
  afterAll(async () => {
    await chromium.close();
    site.closeAllConnections();
    site.close();
    await once(site, 'close');
  });

  const siteAddress = () => `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const withPaywall = (attributes: string) => `<!doctype html><title>News</title>
    <script src="${app.address}/embed.js"></script>
    <script>heard = []; for (const type of ['shown', 'unlocked', 'closed', 'unavailable'])
      document.addEventListener('paywall.' + type, (event) => heard.push(event.detail));</script>
    <button ${attributes}>Watch</button><div id="here"></div>`;

  /** The script of the page in the frame runs, so that the page listens to keys. */
  const isShown = `heard.some(({ type }) => type === 'paywall.shown')`;

  test('opens in a dialogue, tells what happens, and closes', async () => {
    const shop = await createShop(app);
    await createFee(app, shop.merchant, shop.item.id);
    await giveByHand(app, shop);
    page = withPaywall(`data-paywall-merchant="${shop.merchant.uuid}" data-paywall-item="${shop.item.id}"`);
    const visitor = await chromium.newVisitor();
    await visitor.page.goto(siteAddress());
    await visitor.page.getByRole('button', { name: 'Watch' }).click();
    const frame = visitor.page.frameLocator('dialog iframe');
    await untilTrue(visitor.page, isShown);
    await pressInFrame(frame.getByRole('link', { name: 'Sign in' }));
    await frame.locator('#field-username').fill(shop.consumer.email);
    await frame.locator('#field-password').fill(password);
    await frame.locator('#field-password').press('Enter');
    await frame.frameLocator('iframe.content-frame').getByText('The final.').waitFor();
    await clickAway(frame.getByRole('button', { name: 'Close' }));
    await visitor.page.locator('dialog').waitFor({ state: 'detached' });
    const heard = await visitor.page.evaluate<{ type: string; item_id?: number }[]>('heard');
    expect(heard.map(({ type }) => type)).toEqual(['paywall.shown', 'paywall.unlocked', 'paywall.closed']);
    expect(heard[1]).toMatchObject({ item_id: shop.item.id, is_new: false });
    await visitor.context.close();
  });

  test('closes by Escape in the frame, and returns the focus; a frame on the page stays', async () => {
    const shop = await createShop(app);
    page = withPaywall(`data-paywall-merchant="${shop.merchant.uuid}" data-paywall-item="${shop.item.id}"`);
    const visitor = await chromium.newVisitor();
    await visitor.page.goto(siteAddress());
    await visitor.page.getByRole('button', { name: 'Watch' }).click();
    await untilTrue(visitor.page, isShown);
    await visitor.page.frameLocator('dialog iframe').getByRole('link', { name: 'Get access' }).focus();
    pressAway(visitor.page, 'Escape');
    await visitor.page.locator('dialog').waitFor({ state: 'detached' });
    expect(await visitor.page.evaluate('document.activeElement.textContent')).toBe('Watch');
    await visitor.page.evaluate(
      `Paywall.open({ merchant: '${shop.merchant.uuid}', item: ${shop.item.id}, target: '#here', onMessage: ({ type }) => heard.push(type) })`,
    );
    await untilTrue(visitor.page, `heard.includes('paywall.shown')`);
    await visitor.page.frameLocator('#here iframe').getByRole('link', { name: 'Get access' }).press('Escape');
    await untilTrue(visitor.page, `heard.includes('paywall.escape')`);
    expect(await visitor.page.locator('#here iframe').count()).toBe(1);
    await visitor.context.close();
  });

  test('a page that does not load, and one with an error, can be closed by a button and by Escape', async () => {
    const { merchant, item } = await createShop(app);
    const attributes = (id: number) => `data-paywall-merchant="${merchant.uuid}" data-paywall-item="${id}"`;
    const visitor = await chromium.newVisitor();
    const dialog = visitor.page.locator('dialog');
    const open = async (id: number) => {
      page = withPaywall(attributes(id));
      await visitor.page.goto(siteAddress());
      await visitor.page.getByRole('button', { name: 'Watch' }).click();
      await dialog.waitFor();
    };
    await visitor.page.route('**/paywall/**', (route) => route.abort());
    await open(item.id);
    await visitor.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await visitor.page.evaluate('document.activeElement.textContent')).toBe('Watch');
    await open(item.id);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await visitor.page.unroute('**/paywall/**');
    await open(item.id + 1_000_000);
    const frame = visitor.page.frameLocator('dialog iframe');
    await frame.getByRole('alert').waitFor();
    expect(await frame.getByRole('banner').count()).toBe(0);
    // The page in the frame has its own button now.
    await dialog.getByRole('button', { name: 'Close' }).waitFor({ state: 'detached' });
    await clickAway(frame.getByRole('button', { name: 'Close' }));
    await dialog.waitFor({ state: 'detached' });
    await visitor.context.close();
  });

  test('stands on the page as high as it is, and only where the merchant’s domains allow it', async () => {
    const shop = await createShop(app);
    page = withPaywall('hidden');
    const visitor = await chromium.newVisitor();
    const open = async () => {
      await visitor.page.goto(siteAddress());
      await visitor.page.evaluate(
        `Paywall.open({ merchant: '${shop.merchant.uuid}', item: ${shop.item.id}, target: '#here' })`,
      );
      return visitor.page.frameLocator('#here iframe');
    };
    await (await open()).getByRole('link', { name: 'Get access' }).waitFor();
    const isFitted = `(() => { const height = parseInt(document.querySelector('#here iframe').style.height); return height !== 640 && height > 200; })()`;
    await untilTrue(visitor.page, isFitted);
    await call(app, 'POST', '/restrictions/domain/blacklist', { domains: [{ domain: '127.0.0.1' }] }, shop.merchant);
    await (await open()).getByRole('heading', { name: 'Not available here' }).waitFor();
    await visitor.context.close();
  });

  /** The stored height of the frame, after the page in it has loaded and its height does not change any more. */
  async function lastHeight({ page: around }: Visitor, key: string): Promise<string> {
    const frame = await (await around.locator('#here iframe').elementHandle())?.contentFrame();
    if (!frame) throw new Error('The page has no frame');
    await frame.waitForURL(/paywall/);
    await frame.evaluate('document.fonts.ready.then(() => undefined)');
    return until(async () => {
      const height = await frame.evaluate<number>('Math.ceil(document.body.scrollHeight)');
      const kept = await around.evaluate<string | null>(`sessionStorage.getItem('${key}')`);
      return kept === String(height) && kept;
    });
  }

  test.each([
    ...languages.map((language) => [language, { option: language, page: 'en' }] as const),
    ...languages.map((language) => [language, { option: undefined, page: language }] as const),
    ['pt', { option: undefined, page: 'PT-br' }],
    ['en', { option: 'nl', page: 'de' }],
    ['en', { option: undefined, page: 'constructor' }],
    ['en', { option: undefined, page: '' }],
    ['de', { option: '', page: 'de' }],
  ] as const)('names the button and the frame in %s: %j', async (language, { option, page: lang }) => {
    page = withPaywall('hidden');
    await labelled.page.route('**/paywall/**', (route) => route.abort());
    await labelled.page.goto(siteAddress());
    const options = JSON.stringify({ merchant: 'any', item: 1, language: option });
    await labelled.page.evaluate(`document.documentElement.lang = '${lang}'; Paywall.open(${options})`);
    const { t } = textsFor({ languages: [language] });
    await labelled.page.getByRole('button', { name: t('common.close'), exact: true }).waitFor();
    const title = (await labelled.page.locator('dialog iframe').getAttribute('title')) ?? '';
    expect(await labelled.page.getByRole('dialog').getAttribute('aria-label')).toBe(title);
    expect(title === 'Paywall').toBe(language === 'en');
  });

  test('begins with the last height of its item in the tab, and with the usual one without a usable height', async () => {
    const { merchant, item } = await createShop(app);
    page = withPaywall('hidden');
    const visitor = await chromium.newVisitor();
    const key = `paywall.height.${merchant.uuid}.${item.id}`;
    const heightOf = (id: number) =>
      visitor.page.evaluate<string>(
        `Paywall.open({ merchant: '${merchant.uuid}', item: ${id}, target: '#here' }).frame.style.height`,
      );
    const again = () => visitor.page.goto(siteAddress());
    await again();
    expect(await heightOf(item.id)).toBe('640px');
    const kept = await lastHeight(visitor, key);
    expect(Number(kept)).toBeGreaterThan(200);
    expect(await visitor.page.evaluate(`document.querySelector('#here iframe').style.height`)).toBe(`${kept}px`);
    // No frame of these pages changes the height again.
    await visitor.page.route('**/paywall/**', (route) => route.abort());
    await again();
    expect([await heightOf(item.id), await heightOf(item.id + 1)]).toEqual([`${kept}px`, '640px']);
    for (const [stored, expected] of [
      ['200', '200px'],
      ['199', '640px'],
      ['20000', '20000px'],
      ['20001', '640px'],
      ['tall', '640px'],
    ] as const) {
      await visitor.page.evaluate(`sessionStorage.setItem('${key}', '${stored}')`);
      expect([stored, await heightOf(item.id)]).toEqual([stored, expected]);
    }
    await visitor.page.unroute('**/paywall/**');
    await visitor.page.evaluate(
      `Object.defineProperty(window, 'sessionStorage', { get: () => { throw new DOMException('no', 'SecurityError'); } })`,
    );
    expect(await heightOf(item.id)).toBe('640px');
    // The frame is fitted as without storage.
    await untilTrue(visitor.page, `document.querySelector('#here iframe').style.height === '${kept}px'`);
    await visitor.context.close();
  });
});
