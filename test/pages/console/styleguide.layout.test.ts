import { type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, startChromium } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createMerchant } from '../../support/factories';
import { type ForcedState, inState } from '../../support/forcedStates';
import { boxesOf, looksOf } from '../../support/layoutOf';
import { startApp, type TestApp } from '../../support/startApp';

/**
 * Pictures of the style guide, in which every shared part stands. A change of a part changes its picture here first. If it
 * is intended, run `npx jest test/pages/console/styleguide.layout -u`, and read the difference.
 */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const places = ['/console/styleguide', '/console/styleguide/data'];
const unchanged = { media: 'screen', colorScheme: 'light', forcedColors: 'none', reducedMotion: 'reduce' } as const;

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
    await page.emulateMedia(unchanged);
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

    test('the styles of the parts', async () => {
      await open(place);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await looksOf(page)).toMatchSnapshot();
    });

    test.each<[string, Parameters<Page['emulateMedia']>[0]]>([
      ['on a dark page', { colorScheme: 'dark' }],
      ['with forced colours', { forcedColors: 'active' }],
      ['on paper', { media: 'print' }],
    ])('the styles of the parts that are different %s', async (_media, media) => {
      const usual = await looksOf(page);
      await page.emulateMedia({ ...unchanged, ...media });
      const other = await looksOf(page);
      await page.emulateMedia(unchanged);
      expect(changesOf(usual, other)).toMatchSnapshot();
    });

    test.each<[string, ForcedState]>([
      ['under a pointer', 'hover'],
      ['with the focus', 'focus'],
    ])('the styles of the parts that are different %s', async (_title, state) => {
      // On a phone, a row is a card, and no pointer marks it.
      await page.setViewportSize({ width: 1280, height: 860 });
      await open(place);
      const usual = await looksOf(page);
      expect(changesOf(usual, await looksIn(state))).toMatchSnapshot();
      expect(await looksOf(page)).toEqual(usual);
    });
  });

  test('a moved part changes the picture', async () => {
    const before = await boxesOf(page);
    await page.evaluate("document.querySelector('section[id] .badge').style.cssText = 'display: block; padding: 1rem'");
    expect(await boxesOf(page)).not.toEqual(before);
  });

  test.each([
    ['a badge in another colour', '.badge { color: red }', /badge/],
    ['a card without its corners', '.card { border-radius: 0 }', /card/],
    [
      'a field with an error that looks like the others',
      '[aria-invalid=true] { border-color: gray !important }',
      /wrong/,
    ],
    ['a disabled button that looks like the others', 'button { opacity: 1 !important }', /disabled/],
    ['a choice that does not show that it is chosen', '.choice { background: none !important }', /choice/],
    ['a heading of another size', 'h3 { font-size: 1.05rem }', /^h3/],
  ])('%s changes the picture', async (_title, rule, kind) => {
    await open(places[0] ?? '');
    const before = await looksOf(page);
    await addRule(rule);
    expect(Object.keys(changesOf(before, await looksOf(page)))).toContainEqual(expect.stringMatching(kind));
  });

  test.each<[string, string, RegExp, ForcedState]>([
    ['a main button without its frame of light', 'button.main:hover { box-shadow: none !important }', /main/, 'hover'],
    ['a row that does not show the pointer', 'tr:hover { background: none !important }', /tr$/, 'hover'],
    ['a link without a focus', 'a:focus-visible { outline: none !important }', /^a/, 'focus'],
    ['a choice whose field has the focus', '.choice:has(:focus) { outline-width: 1px }', /choice/, 'focus'],
    ['a field with another edge', 'select:focus-visible { border-color: gray !important }', /select/, 'focus'],
  ])('%s changes only the picture of its state', async (_title, rule, kind, state) => {
    await open(places[rule.startsWith('tr') ? 1 : 0] ?? '');
    const before = [await looksOf(page), await looksIn(state)] as const;
    await addRule(rule);
    expect(await looksOf(page)).toEqual(before[0]);
    expect(Object.keys(changesOf(before[1], await looksIn(state)))).toContainEqual(expect.stringMatching(kind));
  });

  const looksIn = (state: ForcedState) => inState(page, state, () => looksOf(page));
  const addRule = (rule: string) =>
    page.evaluate(`(() => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(${JSON.stringify(rule)});
      document.adoptedStyleSheets = [sheet];
    })()`);
});

/** The styles that are different, by kinds of elements. A kind that is no longer on the page is `hidden`. */
function changesOf(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>) {
  const kinds = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = kinds.filter((kind) => before[kind] !== after[kind]);
  return Object.fromEntries(changed.map((kind) => [kind, changeOf(before[kind] ?? '', after[kind])]));
}

/** A style that has its initial value is not in these texts. */
function changeOf(before: string, after: string | undefined): string {
  if (after === undefined) return 'hidden';
  const [old, other] = [before, after].map((text) => text.split('; ').filter(Boolean));
  const names = new Set(other?.map(nameOf));
  const reset = old?.map(nameOf).filter((name) => !names.has(name)) ?? [];
  const changed = other?.filter((style) => !old?.includes(style)) ?? [];
  return [...changed, ...reset.map((name) => `${name}: initial`)].join('; ');
}

const nameOf = (style: string) => style.slice(0, style.indexOf(':'));
