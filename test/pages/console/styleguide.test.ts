import { type Chromium, describeInBrowser, faultsOf, barriersOf, startChromium } from '../../support/chromium';
import { createConsumer, createMerchant } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { enterConsole } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';
import {
  callsOf,
  callsOfStyleguide,
  classesOf,
  classesOn,
  partsOf,
  sharedClasses,
  sharedParts,
} from '../../support/styleguide';

/** The pages with every shared part of the pages. */

const place = '/console/styleguide';
const places = [place, `${place}/data`];

let app: TestApp;
let page = '';
beforeAll(async () => {
  app = await startApp();
  const walker = await enterConsole(app, (await createMerchant(app)).email);
  for (const each of places) page += (await walker.open(each)).text;
});
afterAll(() => app.stop());

/** Functions that return a whole page, or no part of one. */
const wholes = ['wholePage', 'documentOf', 'errorPage', 'foreignPage', 'nameFields', 'themeProperties'];
/** Shown by the frame of the console. */
const framed = ['searchBox', 'accountLine'];
/** A frame with the content of a merchant, which the guide does not have. */
const foreign = ['contentFrame'];
/** For a page in a frame of another page, which the guide is not. */
const embedded = ['closeButton'];

test('200: it shows every shared part', () => {
  const calls = callsOfStyleguide();
  const known = [...wholes, ...framed, ...foreign, ...embedded];
  const parts = sharedParts();
  expect(parts.filter((name) => !calls.has(name) && !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !parts.includes(name))).toEqual([]);
});

/** The guide shows each part several times. */
const isRepeated = (fault: string) => fault.includes('landmark-unique .pager');

/** Frames of other pages, and what a script or another page sets. */
const elsewhere = [
  'bare',
  'banner coloured',
  'narrow',
  'split',
  'htmx-request',
  'copied',
  'chart-line',
  'chart-values',
  'if-new-card',
  'if-new-account',
  'portal-menu',
];

test('200: it shows every class of the shared style sheets, with the classes that stand beside it', () => {
  const shown = classesOn(page);
  const isShown = (names: string) => shown.some((own) => names.split(' ').every((name) => own.includes(name)));
  const missing = sharedClasses().filter((names) => !isShown(names));
  expect(missing.filter((names) => !elsewhere.includes(names))).toEqual([]);
  expect(elsewhere.filter((names) => !missing.includes(names))).toEqual([]);
});

test('a new part or class without a sample is found', () => {
  const text = `export function card(): Html {} export const sign = (a: A): Html => x; function own(): Html {}
    export const count = (): number => 1;`;
  expect(partsOf(text)).toEqual(['card', 'sign']);
  expect(callsOf('const a = html`${card(sign(1))}`; other.part();')).toEqual(['card', 'sign']);
  const sheet = `/* .gone {} */ .a { color: red } .a.b:hover > .c,\n.d { } @media (max-width: 1.5rem) { .e:not(.f) { } }`;
  expect(classesOf(sheet)).toEqual(['a', 'a b', 'c', 'd', 'e', 'f']);
  expect(classesOn('<p class="a b"><b class="c">')).toEqual([['a', 'b'], ['c']]);
});

test('200: it is the same for every merchant and each of its followers, and has no data of theirs', async () => {
  const merchant = await createMerchant(app);
  const { email } = await createConsumer(app, merchant);
  const follower = await createFollower(app, merchant, ['payments:read']);
  for (const person of [merchant, follower]) {
    const walker = await enterConsole(app, person.email);
    for (const each of places) {
      const { status, text } = await walker.open(each);
      expect(status).toBe(200);
      for (const secret of [email, merchant.email, follower.email, merchant.merchantUuid])
        expect(text).not.toContain(secret);
    }
  }
});

test('200: the page of the test clock leads to it, in English and in Arabic', async () => {
  const walker = await enterConsole(app, (await createMerchant(app)).email);
  expect((await walker.open('/console/test-clock')).text).toContain(`<a href="${place}">Style guide`);
  expect((await walker.open('/console/test-clock?lang=ar')).text).toContain(`<a href="${place}">دليل`);
});

test('303: its forms lead back to it', async () => {
  const walker = await enterConsole(app, (await createMerchant(app)).email);
  await walker.open(place);
  const { status, headers } = await walker.submit(place, { filled: 'Ada' });
  expect([status, headers.get('location')]).toEqual([303, place]);
});

test('303: without a session it leads to the sign-in', async () => {
  const { status, headers } = await fetch(`${app.address}${place}`, { redirect: 'manual' });
  expect([status, headers.get('location')]).toEqual([303, '/console/sign-in?next=%2Fconsole%2Fstyleguide']);
});

describeInBrowser('the style guide', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test.each(['en', 'ar'])('is accessible, light and dark, at 1280, 375 and 320 pixels: %s', async (language) => {
    const { cookies } = await enterConsole(app, (await createMerchant(app)).email);
    const visitor = await chromium.newVisitor({ language });
    const [name = '', value = ''] =
      cookies
        .split('; ')
        .find((each) => each.includes('console'))
        ?.split('=') ?? [];
    await visitor.context.addCookies([{ name, value, url: app.address }]);
    for (const [index, each] of places.entries()) {
      await visitor.page.setViewportSize({ width: 1280, height: 860 });
      await visitor.page.goto(`${app.address}${each}`);
      const faults = await faultsOf(visitor, `styleguide-${index + 1}-${language}`);
      expect(faults.filter((fault) => !isRepeated(fault))).toEqual([]);
      await visitor.page.setViewportSize({ width: 375, height: 740 });
      expect((await barriersOf(visitor.page)).filter((fault) => !isRepeated(fault))).toEqual([]);
    }
    await visitor.context.close();
  });
});
