import { type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, startChromium } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createMerchant } from '../../support/factories';
import { boxesOf, colorsOf } from '../../support/layoutOf';
import { startApp, type TestApp } from '../../support/startApp';

/**
 * Pictures of the style guide, in which every shared part stands. A change of a part changes its picture here first. Meant
 * it? `npx jest test/pages/console/styleguide.layout -u`, and read the difference.
 */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const places = ['/console/styleguide', '/console/styleguide/data'];

describeInBrowser('the pictures of the style guide', () => {
  let chromium: Chromium;
  let page: Page;
  let open: (path: string) => Promise<unknown>;
  beforeAll(async () => {
    chromium = await startChromium();
    const visitor = await chromium.newVisitor();
    ({ page } = visitor);
    const merchant = consoleVisitor(
      () => app,
      () => visitor,
    );
    ({ open } = merchant);
    await merchant.enter((await createMerchant(app)).email);
    await page.emulateMedia({ reducedMotion: 'reduce' });
  });
  afterAll(() => chromium.close());

  // The typeface of the sign-in is in the cache now, so these pages have it from the start.
  describe.each(places)('%s', (place) => {
    test('the typeface is the own one', async () => {
      await open(place);
      expect(await page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px Inter'))")).toBe(true);
    });

    test.each([1280, 375])('the places and sizes of the parts at %i pixels', async (width) => {
      await page.setViewportSize({ width, height: 860 });
      expect(await boxesOf(page)).toMatchSnapshot();
    });

    test.each(['light', 'dark'] as const)('the colours of the parts: %s', async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      expect(await colorsOf(page)).toMatchSnapshot();
    });
  });

  test('a moved part and a new colour change the picture', async () => {
    const before = [await boxesOf(page), await colorsOf(page)] as const;
    await page.evaluate(
      "document.querySelector('section[id] .badge').style.cssText = 'display: block; padding: 1rem; color: red'",
    );
    expect(await boxesOf(page)).not.toEqual(before[0]);
    expect(await colorsOf(page)).not.toEqual(before[1]);
  });
});
