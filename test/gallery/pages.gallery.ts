import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, startChromium } from '../support/chromium';
import { cards, password } from '../support/factories';
import { pay, showPictures, typeCard } from '../support/paywall';
import { startApp, type TestApp } from '../support/startApp';
import { type Scene, setScene } from './scene';

/**
 * `npm run screenshots`: pictures of the pages at the widths of a desk and a phone, light and dark, in English,
 * Arabic and German, with an index. They are for people to look at; the tests of pages check the rest.
 */

const folder = path.resolve(process.env['SCREENSHOTS'] || '.data/gallery');
const widths = [1280, 375] as const;
const looks = [
  ['en-GB', 'light'],
  ['en-GB', 'dark'],
  ['ar', 'light'],
  ['ar', 'dark'],
  // German has the longest words.
  ['de', 'light'],
] as const;
const portalPages = ['', '/purchases', '/receipts', '/card', '/gifts', '/profile', '/security', '/data'];
const consolePages = [
  '',
  '/items',
  '/customers',
  '/subscriptions',
  '/transactions',
  '/vouchers',
  '/branding',
  '/restrictions',
  '/reports',
  '/settings',
  '/audit',
];

let app: TestApp;
let chromium: Chromium;
let scene: Scene;

const nameOf = (place: string) => (place === '' ? 'home' : place.slice(1));

describeInBrowser('the gallery', () => {
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    app = await startApp();
    await app.startWorker();
    scene = await setScene(app);
    chromium = await startChromium();
  });
  afterAll(async () => {
    writeIndex();
    await chromium.close();
    await app.stop();
  });

  describe.each(looks)('%s, %s', (language, colorScheme) => {
    /** A visitor who takes pictures under these names. */
    async function visit(take: (page: Page, keep: (name: string) => Promise<void>) => Promise<void>) {
      const { page, context } = await chromium.newVisitor({ language });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await showPictures(page);
      await take(page, async (name) => {
        for (const width of widths) {
          await page.setViewportSize({ width, height: width === 375 ? 740 : 860 });
          const file = `${name}-${language.slice(0, 2)}-${colorScheme}-${width}.png`;
          await page.screenshot({ path: path.join(folder, file), fullPage: true, caret: 'initial' });
          const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect(`${file}: ${String(beyond)} px wider than the window`).toBe(`${file}: 0 px wider than the window`);
        }
        await page.setViewportSize({ width: 1280, height: 860 });
      });
      await context.close();
    }

    test('the paywall', () =>
      visit(async (page, keep) => {
        await page.goto(`${app.address}/paywall/${scene.merchant.uuid}/${scene.itemId}`);
        await keep('paywall-offer');
        await page.locator('a.choice').last().click();
        await page.locator('#field-full_name').fill('Ana Petrova');
        await keep('paywall-register');
        await page.locator('#field-username').fill(`ana-${Date.now()}@example.org`);
        await page.locator('#field-password').fill(password);
        await page.locator('form[name=register] button[type=submit]').click();
        await page.locator('form[name=checkout]').waitFor();
        await keep('paywall-checkout');
        await pay(page);
        await page.getByRole('alert').waitFor();
        await keep('paywall-errors');
        await typeCard(page, cards.success);
        await pay(page);
        await page.locator('iframe.content-frame').waitFor();
        await keep('paywall-content');
      }));

    test('the layouts of the paywall', () =>
      visit(async (page, keep) => {
        for (const [index, { merchant, itemId }] of scene.layouts.entries()) {
          await page.goto(`${app.address}/paywall/${merchant.uuid}/${itemId}`);
          await keep(`layout-${index + 1}`);
        }
      }));

    test('the portal', () =>
      visit(async (page, keep) => {
        const portal = `${app.address}/portal/${scene.merchant.uuid}`;
        await page.goto(`${portal}/sign-in`);
        await keep('portal-sign-in');
        await page.locator('#field-username').fill(scene.reader.email);
        await page.locator('#field-password').fill(password);
        await page.locator('form[name=sign-in] button').click();
        await page.locator('.portal-menu').waitFor();
        for (const place of [...portalPages, `/subscriptions/${scene.subscriptionId}`]) {
          await page.goto(`${portal}${place}`);
          await keep(`portal-${nameOf(place).replace(/\/.*/, '-one')}`);
        }
      }));

    // The console has no German.
    (language === 'de' ? test.skip : test)('the console', () =>
      visit(async (page, keep) => {
        await page.goto(`${app.address}/console/sign-in`);
        await keep('console-sign-in');
        await page.locator('#field-email').fill(scene.merchant.email);
        await page.locator('#field-password').fill(password);
        await page.locator('main form button[type=submit]').first().click();
        await page.locator('.console-menu').waitFor();
        for (const place of [...consolePages, `/items/${scene.itemId}`, `/customers/${scene.reader.id}`]) {
          await page.goto(`${app.address}/console${place}`);
          await keep(`console-${nameOf(place).replace(/\/.*/, '-one')}`);
        }
      }),
    );
  });
});

function writeIndex(): void {
  const files = readdirSync(folder).filter((file) => file.endsWith('.png'));
  const figures = files.map(
    (file) => `<figure><img src="${file}" loading="lazy" alt="${file}"><figcaption>${file}</figcaption></figure>`,
  );
  const style =
    'body{font:14px system-ui;display:grid;gap:1rem;grid-template-columns:repeat(auto-fill,minmax(20rem,1fr))}figure{margin:0}img{width:100%}';
  writeFileSync(
    path.join(folder, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>Pages</title><style>${style}</style>${figures.join('')}`,
  );
}
