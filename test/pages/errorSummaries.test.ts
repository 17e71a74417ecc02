import { consolePages } from '../../src/pages/console/pages';
import { operatorPages } from '../../src/pages/operator/pages';
import { portalPages } from '../../src/pages/portal/pages';
import { operatorPlaces } from '../gallery/places';
import { consoleAddress, consolePaths, fillConsole } from '../support/consolePlaces';
import { createShop, type Shop } from '../support/factories';
import { createOperator, enterOperatorPages, insertRefused } from '../support/operators';
import { enterConsole, PageWalker } from '../support/pageWalker';
import { pathOf, signedInAt } from '../support/checkout';
import { faultsOfSummary, formsOn, type Summaries, summariesAt } from '../support/summaries';
import { startApp, type TestApp } from '../support/startApp';

/** Every form names the fields that are wrong by their labels, and explains the errors in words. */

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  shop = await createShop(app);
});
afterAll(() => app.stop());

async function summariesOf(walker: PageWalker, addresses: readonly string[]): Promise<Summaries> {
  const all: Summaries = { seen: 0, named: 0, faults: [] };
  for (const address of addresses) {
    const { seen, named, faults } = await summariesAt(walker, address);
    all.seen += seen;
    all.named += named;
    all.faults.push(...faults.map((fault) => `${address} → ${fault}`));
  }
  return all;
}

test('every form of the console', async () => {
  const known = await fillConsole(app, shop);
  const walker = await enterConsole(app, shop.merchant.email);
  const addresses = consolePaths
    .filter((path) => !path.startsWith('/console/styleguide'))
    .map((path) => consoleAddress(path, known));
  const { seen, named, faults } = await summariesOf(walker, addresses);
  expect(faults).toEqual([]);
  expect(seen).toBeGreaterThan(100);
  expect(named).toBeGreaterThan(150);
});

const withoutParameters = (pages: Readonly<Record<string, { method: string; path: string }>>, place: string) =>
  Object.values(pages)
    .filter(({ method }) => method === 'get')
    .map(({ path }) => path.replace('{merchant_uuid}', place))
    .filter((path) => !path.includes('{'));

test('every form of the portal', async () => {
  const walker = new PageWalker(app);
  const other = await createShop(app);
  const signIn = `/portal/${other.merchant.uuid}/sign-in`;
  const before = await summariesOf(walker, [signIn, `/portal/${other.merchant.uuid}/register`]);
  const inside = await summariesOf(await signedInAt(app, other), withoutParameters(portalPages, other.merchant.uuid));
  expect([...before.faults, ...inside.faults]).toEqual([]);
  expect(before.named).toBeGreaterThan(3);
  expect(inside.named).toBeGreaterThan(10);
});

test('every form of the paywall', async () => {
  const other = await createShop(app);
  const paywall = pathOf(other);
  const steps = ['sign-in', 'register', 'forgotten'].map((step) => `${paywall}?step=${step}`);
  const before = await summariesOf(new PageWalker(app), steps);
  const inside = await summariesOf(await signedInAt(app, other), [paywall]);
  expect([...before.faults, ...inside.faults]).toEqual([]);
  expect(before.named).toBeGreaterThan(3);
  expect(inside.named).toBeGreaterThan(3);
});

test('every form of operators', async () => {
  const other = await createShop(app);
  await insertRefused(app);
  const walker = await enterOperatorPages(app, await createOperator(app));
  const addresses = Object.values(operatorPlaces).map((place) => place.replace('{id}', String(other.merchant.id)));
  const { seen, named, faults } = await summariesOf(walker, [...addresses, ...withoutParameters(operatorPages, '')]);
  expect(faults).toEqual([]);
  expect(seen).toBeGreaterThan(5);
  expect(named).toBeGreaterThan(5);
});

test('the sign-in of the console and of operators', async () => {
  const entries = [...withoutParameters(consolePages, ''), ...withoutParameters(operatorPages, '')];
  const { faults, named } = await summariesOf(new PageWalker(app), entries);
  expect(faults).toEqual([]);
  expect(named).toBeGreaterThan(5);
});

test('a summary without labels, with a link to nowhere or with codes is found', () => {
  const page =
    '<form method="post" action="/a"><input type="text" name="b" /><input type="hidden" name="c" value="1" /></form>';
  expect(formsOn(page)).toEqual([{ action: '/a', fields: new Map([['b', 'text']]), kept: { c: '1' } }]);
  const label = '<label for="field-b">Amount <span></span></label><input id="field-b" />';
  const summary = (text: string) => `<div><a href="#field-b">${text}</a></div>`;
  expect(faultsOfSummary(summary('Amount: Enter more.'), label)).toEqual([]);
  expect(faultsOfSummary(summary('Enter more.'), label)).toEqual(['field-b is not called Amount : Enter more.']);
  expect(faultsOfSummary(summary('Amount: Enter more.'), '')).toEqual(['no field has the id field-b']);
  for (const text of ['until 2026-11-29T19:22:31Z', 'after the starts_at', 'at least 0.5 EUR'])
    expect(faultsOfSummary(`<div><p>${text}</p></div>`, '')).toEqual([`is for developers: ${text}`]);
});
