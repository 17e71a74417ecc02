import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type ElementHandle,
  type Locator,
  type Page,
} from 'playwright-core';
import { size } from './size';
import { until } from './until';

/**
 * A real browser for tests of pages: Debian's Chromium, or the one that `CHROMIUM` names. Without one the tests are
 * skipped with a reason. `SCREENSHOTS=<folder>` stores a picture for each call of `photograph`.
 */
const places = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const executablePath = places.find((place) => place !== undefined && place !== '' && existsSync(place));

/** `describe` where a browser is found; elsewhere its tests are skipped under a title that says what is missing. */
export function describeInBrowser(title: string, tests: () => void): void {
  if (executablePath !== undefined) return describe(title, tests);
  describe.skip(`${title} (skipped: no Chromium is found; install it, or set CHROMIUM to its path)`, tests);
}

/** A net for what hangs, not a limit on speed: less than the time of a test, so that the failure names the place. */
const patienceMs = 120_000;

export interface Chromium {
  /** A browser of its own, without cookies: a new visitor. */
  newVisitor(options?: VisitorOptions): Promise<Visitor>;
  close(): Promise<void>;
}

interface VisitorOptions {
  width?: number;
  language?: string;
  /** The time zone of the browser. */
  zone?: string;
  hasScripts?: boolean;
}

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Errors in the browser's console, such as a refused script or a failed request. */
  complaints: string[];
}

/** `hosts`: rules that lead a name of the tests to a server, `MAP paywall.test 127.0.0.1:8080`. */
export async function startChromium({ hosts }: { hosts?: string } = {}): Promise<Chromium> {
  const browser = await launch(hosts);
  return {
    newVisitor: async ({ width = 1280, language = 'en-GB', zone = 'UTC', hasScripts = true } = {}) => {
      const context = await browser.newContext({
        viewport: { width, height: width < 600 ? 740 : 860 },
        locale: language,
        timezoneId: zone,
        javaScriptEnabled: hasScripts,
      });
      context.setDefaultTimeout(patienceMs);
      const complaints: string[] = [];
      context.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      context.on('weberror', (error) => complaints.push(error.error().message));
      return { context, page: await context.newPage(), complaints };
    },
    close: () => browser.close(),
  };
}

function launch(hosts: string | undefined): Promise<Browser> {
  if (executablePath === undefined) throw new Error('No Chromium is found');
  return chromium.launch({
    executablePath,
    timeout: patienceMs,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      ...(hosts === undefined ? [] : [`--host-resolver-rules=${hosts}`]),
    ],
  });
}

interface Violation {
  id: string;
  impact: string;
  help: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** The findings of axe of every impact, with their places, on the dark and on the light page. */
export async function barriersOf(page: Page): Promise<string[]> {
  // An element can be found before the style sheet is there.
  await page.waitForLoadState('load');
  // Not as a script element, which the page's policy refuses.
  const { source } = await import('axe-core');
  await page.evaluate(source);
  const found: string[] = [];
  for (const [colorScheme, runOnly] of [
    ['dark', undefined],
    ['light', size({ usual: rulesOfColors, full: undefined })],
  ] as const) {
    // Without transitions, so that no colour is between two. One that has begun would run to its end.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(endTransitions);
    found.push(...(await barriers(page, runOnly)).map((barrier) => `${colorScheme}: ${barrier}`));
  }
  return found;
}

const endTransitions = `for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()`;

/** The rules of axe that read colours. The light page differs from the dark one in colours only: `colorSchemes.test.ts`. */
const rulesOfColors = ['color-contrast', 'link-in-text-block'];

async function barriers(page: Page, runOnly: readonly string[] | undefined): Promise<string[]> {
  const options = JSON.stringify({ iframes: false, resultTypes: ['violations'], ...(runOnly && { runOnly }) });
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
  );
}

/**
 * Waits until an expression is true on the page. The `waitForFunction` of Playwright compiles a text in the page again and
 * again, which the content security policy of our pages refuses unless the text is true at once.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(() => page.evaluate<boolean>(expression));
}

/**
 * Loads the page again until it shows an element. The page behind a link of a mail answers after some seconds at the latest: on
 * a busy machine before the outcome.
 */
export async function untilShown(page: Page, element: Locator): Promise<void> {
  await until(async () => {
    if (await element.isVisible()) return true;
    await page.reload();
    return element.isVisible();
  });
}

/**
 * Clicks a button that removes its own frame. Two faults of a mouse click are avoided. The mouse can miss a frame of another
 * site that has just appeared. And a click that the removal interrupts is repeated by Playwright: in the next such frame.
 * The scripts of the frame have run before the click.
 */
export async function clickAway(element: Locator): Promise<void> {
  const button = await inLoadedFrame(element);
  await button?.focus();
  // The answer may be lost with the frame. The caller waits for the effect of the click instead.
  void button?.dispatchEvent('click').catch(() => undefined);
}

/**
 * Presses Enter on an element after its frame has loaded. The mouse can miss a frame that has just appeared or grown, and the
 * script of a page moves the focus when it starts.
 */
export async function pressInFrame(element: Locator): Promise<void> {
  await inLoadedFrame(element);
  await element.press('Enter');
}

async function inLoadedFrame(element: Locator): Promise<ElementHandle | null> {
  const found = await element.elementHandle();
  await (await found?.ownerFrame())?.waitForLoadState();
  return found;
}

/** Presses a key that removes the frame in focus. The caller waits for the effect, as with `clickAway`. */
export function pressAway(page: Page, key: string): void {
  void page.keyboard.press(key).catch(() => undefined);
}

/** Whether something is wider than the window. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/** Whether letters of twice the size make the page wider than the window. */
export async function hasLargeOverflow(page: Page): Promise<boolean> {
  const setSize = (size: string) => page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
  await setSize('200%');
  const isWide = await isTooWide(page);
  await setSize('');
  return isWide;
}

/** Keeps the whole page as a picture, at the width of a desk and of a telephone, where `SCREENSHOTS` asks for it. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize();
  for (const width of [1280, 375]) {
    await page.setViewportSize({ width, height: width === 375 ? 740 : 860 });
    await page.screenshot({ path: path.join(folder, `${name}-${width}.png`), fullPage: true, caret: 'initial' });
  }
  if (before) await page.setViewportSize(before);
}

/**
 * A picture of the page, and its faults: what axe finds, what is too wide at 320 pixels or with letters of twice the size,
 * and complaints of the browser. `expected` names complaints that are right, such as the answer to a refused form.
 */
export async function faultsOf(
  { page, complaints }: Visitor,
  name: string,
  expected = /status of 4\d\d/,
): Promise<string[]> {
  await photograph(page, name);
  const found = await barriersOf(page);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  const widths = (await isTooWide(page)) ? ['wider than 320 pixels'] : [];
  await page.setViewportSize({ width: 1280, height: 860 });
  if (await hasLargeOverflow(page)) widths.push('wider than the window with letters of twice the size');
  if (size) await page.setViewportSize(size);
  return [...found, ...widths, ...complaints.filter((text) => !expected.test(text))];
}
