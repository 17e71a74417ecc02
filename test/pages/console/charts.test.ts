import { readFileSync } from 'node:fs';
import {
  barriersOf,
  type Chromium,
  describeInBrowser,
  faultsOf,
  photograph,
  startChromium,
  type Visitor,
} from '../../support/chromium';
import { call } from '../../support/client';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createShop, type Shop } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole } from '../../support/pageWalker';
import { dayAhead, live, startStory } from '../../support/reporting';
import { startApp, type TestApp } from '../../support/startApp';

/** The charts of the console: values at the pointer, the previous period, notes, and files. */

let app: TestApp;
beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

/** A subscription that starts today and renews after 31 days. */
async function renewed(shop: Shop): Promise<void> {
  await live(await startStory(app, shop), [
    ['begin', 0],
    ['rebill', 31],
  ]);
}

const addressOf = (from: number, to: number, more = '') =>
  `/console/reports?from=${dayAhead(from)}&to=${dayAhead(to)}&interval=week${more}`;
const decoded = (text: string) => text.replaceAll('&amp;', '&');

describe('without a browser', () => {
  test('200: the previous period has its sums beside those of the range', async () => {
    const shop = await createShop(app, { amount: '10.00' });
    await renewed(shop);
    const walker = await enterConsole(app, shop.merchant.email);
    const { text } = await walker.open(addressOf(20, 40, '&compare=previous'));
    expect(text).toMatch(/<option value="previous"\s+selected/);
    expect(text.match(/vs €10\.00/g)?.length).toBe(2);
    expect(text).toContain('class="line before"');
    expect((await walker.open(addressOf(20, 40))).text).not.toContain('class="line before"');
  });

  test('200: a previous period without data is named, and so is one before the first year', async () => {
    const shop = await createShop(app, { amount: '10.00' });
    await live(await startStory(app, shop), [['begin', 0]]);
    const walker = await enterConsole(app, shop.merchant.email);
    const { status, text } = await walker.open(addressOf(-1, 5, '&compare=previous'));
    expect([status, text.includes('No data in the previous period.')]).toEqual([200, true]);
    const first = await walker.open(
      `/console/reports?from=1900-01-01&to=1919-01-01&compare=previous&currency=EUR&interval=month`,
    );
    expect([first.status, first.text.includes('class="line before"')]).toEqual([200, false]);
  });

  test.each(['JPY', 'KWD'])('200: amounts in %s have the digits of the currency', async (currency) => {
    const shop = await createShop(app, { amount: currency === 'JPY' ? '1200' : '4.120', currency });
    await live(await startStory(app, shop), [['begin', 0]]);
    const walker = await enterConsole(app, shop.merchant.email);
    const { text } = await walker.open('/console/reports?compare=previous');
    expect(text).toContain(currency === 'JPY' ? '¥1,200' : 'KWD\u{a0}4.120');
    const [, file = ''] = /href="(\/console\/csv\/mrr-report[^"]*)"/.exec(text) ?? [];
    const lines = (await walker.open(decoded(file))).text.trim().split('\r\n');
    expect(lines.at(-1)).toContain(currency === 'JPY' ? `${currency},0,1200,` : `${currency},0,4.12,`);
  });

  test('200: each chart has its numbers as a file, with a line for each period', async () => {
    const shop = await createShop(app, { amount: '10.00' });
    await renewed(shop);
    const walker = await enterConsole(app, shop.merchant.email);
    const { text } = await walker.open(addressOf(0, 40));
    const files = new Set(
      [...text.matchAll(/href="(\/console\/csv\/[^"]*report\?[^"]*)"/g)].map(([, file = '']) => decoded(file)),
    );
    const names = [...files].map((file) => file.replace(/.*csv\/|\?.*/g, ''));
    expect(names).toEqual(expect.arrayContaining(['mrr-report', 'revenue-report', 'subscription-report']) as string[]);
    for (const file of files) {
      const { status, text: lines } = await walker.open(file);
      expect([file, status, lines.trim().split('\r\n').length > 1]).toEqual([file, 200, true]);
    }
    for (const name of ['trial-report', 'dunning-report']) {
      const { status, text: lines } = await walker.open(`/console/csv/${name}?from=${dayAhead(0)}&to=${dayAhead(0)}`);
      expect([name, status]).toEqual([name, 200]);
      expect(lines).toContain(name === 'trial-report' ? 'started,converted,lost' : 'failed_count,failed_amount');
    }
  });

  test('200: a new, a changed and an ended price are notes, which a follower without the audit log does not see', async () => {
    const shop = await createShop(app, { amount: '10.00' });
    await live(await startStory(app, shop), [['begin', 0]]);
    const address = `/items/access-fees/${shop.fee.id}`;
    const { status } = await call(app, 'DELETE', address, undefined, shop.merchant);
    expect(status).toBe(200);
    const notesOn = ({ text }: { text: string }) =>
      (/<ol class="chart-notes[^]*?<\/ol>/.exec(text)?.[0] ?? '').replaceAll(/<[^>]*>|\s+/g, ' ').trim();
    const own = notesOn(await (await enterConsole(app, shop.merchant.email)).open('/console/reports'));
    expect(own).toMatch(/Price added, Price ended$/);
    const follower = await createFollower(app, shop.merchant, ['reports:read']);
    const others = await (await enterConsole(app, follower.email)).open('/console/reports');
    expect([others.status, notesOn(others)]).toEqual([200, '']);
    const before = await (
      await enterConsole(app, shop.merchant.email)
    ).open(`/console/reports?from=${dayAhead(1)}&to=${dayAhead(3)}`);
    expect(notesOn(before)).toBe('');
  });
});

describeInBrowser('charts in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  let shop: Shop;
  beforeAll(async () => {
    chromium = await startChromium();
    shop = await createShop(app, { amount: '10.00' });
    await renewed(shop);
  });
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());
  const { open, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );
  const enterReports = async (more = '', options: Parameters<Chromium['newVisitor']>[0] = {}) => {
    visitor = await chromium.newVisitor(options);
    await enter(shop.merchant.email);
    await open(addressOf(30, 50, more));
    await visitor.page
      .getByRole('img', { name: 'Monthly recurring revenue' })
      .or(visitor.page.locator('svg.chart'))
      .first()
      .waitFor();
  };

  test('the values at the pointer are those of the table, and Escape and leaving hide them', async () => {
    await enterReports('&compare=previous');
    const { page } = visitor;
    const chart = page.getByRole('img', { name: 'Monthly recurring revenue' });
    const values = page.locator('.chart-values');
    await chart.hover({ position: { x: 60, y: 60 } });
    expect(await values.innerText()).toMatch(/Monthly recurring revenue €10\.00\s+Previous period €10\.00/);
    await page.keyboard.press('Escape');
    await values.waitFor({ state: 'detached' });
    const box = await chart.boundingBox();
    await chart.hover({ position: { x: (box?.width ?? 0) - 4, y: 60 } });
    expect(await values.innerText()).toMatch(/€10\.00\s+Previous period €10\.00/);
    await page.getByRole('heading', { level: 1 }).hover();
    await values.waitFor({ state: 'detached' });
    expect(visitor.complaints).toEqual([]);
  });

  test('a chart is a PNG file, without a complaint of the page’s policy', async () => {
    await enterReports('&compare=previous');
    const { page } = visitor;
    for (const name of ['Monthly recurring revenue', 'MRR from start to end']) {
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: new RegExp(`PNG ?: ${name}`) }).click();
      const download = await waiting;
      expect(download.suggestedFilename()).toBe(`${name}.png`);
      const file = readFileSync(await download.path());
      expect(file.subarray(1, 4).toString()).toBe('PNG');
      expect([file.readUInt32BE(16), file.length > 10_000]).toEqual([1416, true]);
      const folder = process.env['SCREENSHOTS'];
      if (folder) await download.saveAs(`${folder}/${name.replaceAll(' ', '-')}.png`);
    }
    expect(visitor.complaints).toEqual([]);
  });

  test('by the keyboard, the table of a chart opens, and the comparison is chosen', async () => {
    await enterReports();
    const { page } = visitor;
    await page.locator('summary', { hasText: 'Show data: Monthly recurring revenue' }).press('Enter');
    await page.getByRole('region', { name: 'Monthly recurring revenue' }).getByRole('row').first().waitFor();
    await page.getByLabel('Compare with').selectOption('Previous period');
    await page.getByRole('button', { name: 'Show', exact: true }).press('Enter');
    await page.locator('.line.before').waitFor({ state: 'attached' });
    expect(page.url()).toContain('compare=previous');
    await page.getByRole('link', { name: '90 days' }).press('Enter');
    await page.waitForURL(/compare=previous/);
    await page.getByLabel('Compare with').waitFor();
    expect(await page.getByLabel('Compare with').inputValue()).toBe('previous');
  });

  test('without a script there is no button that does nothing', async () => {
    await enterReports('', { hasScripts: false });
    const { page } = visitor;
    expect(await page.getByRole('button', { name: /PNG/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: /CSV ?: Monthly recurring revenue/ }).count()).toBe(1);
  });

  test.each(['en', 'ar'])('it is accessible in every way of showing it: %s', async (lang) => {
    await enterReports(`&compare=previous&lang=${lang}`);
    const { page } = visitor;
    for (const summary of await page.locator('.chart-numbers summary').all()) await summary.click();
    expect(await faultsOf(visitor, `charts-${lang}`)).toEqual([]);
    for (const media of [{ colorScheme: 'dark' }, { forcedColors: 'active' }] as const) {
      await page.emulateMedia(media);
      await photograph(page, `charts-${lang}-${Object.values(media)[0] ?? ''}`);
      expect(await barriersOf(page)).toEqual([]);
    }
    await page.emulateMedia({ media: 'print', forcedColors: 'none' });
    expect(await page.locator('.chart-files').first().isVisible()).toBe(false);
    await photograph(page, `charts-${lang}-print`);
  });

  test('one day, and a range without data', async () => {
    await enterReports();
    await open(`/console/reports?from=${dayAhead(31)}&to=${dayAhead(31)}&compare=previous`);
    await visitor.page.getByRole('img', { name: 'Monthly recurring revenue' }).hover();
    expect(await visitor.page.locator('.chart-values').innerText()).toContain('€10.00');
    expect(await faultsOf(visitor, 'charts-one-day')).toEqual([]);
    await open('/console/reports?from=2001-01-01&to=2001-01-31&compare=previous&currency=EUR');
    expect(await faultsOf(visitor, 'charts-none')).toEqual([]);
  });
});
