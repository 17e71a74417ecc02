import { randomUUID } from 'node:crypto';
import { balanceOf } from '../../support/balances';
import { createShop, type Shop } from '../../support/factories';
import { enterConsole, type PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** A form that is sent twice, as by a double click or after a broken connection, takes effect once. */

let app: TestApp;
let shop: Shop;
let walker: PageWalker;
let path: string;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

beforeEach(async () => {
  shop = await createShop(app);
  walker = await enterConsole(app, shop.merchant.email);
  path = `/console/customers/${shop.consumer.id}/balances`;
});

const credit = { amount: '5.00', currency: 'EUR', note: 'Goodwill' };

/** The id of the form as the page shows it. */
async function shownForm(): Promise<string> {
  const { text } = await walker.open(path);
  return /name="_form" value="([^"]+)"/.exec(text)?.[1] ?? '';
}

test('303: the same form twice, one after the other and both at once, gives the credit once', async () => {
  const form = { ...credit, _form: await shownForm() };
  const first = await walker.submit(path, form);
  const second = await walker.submit(path, form);
  expect([first, second].map(({ status }) => status)).toEqual([303, 303]);
  expect(second.headers.get('location')).toBe(first.headers.get('location'));
  expect(await balanceOf(app, shop.consumer.id)).toBe(500);

  const next = { ...credit, _form: await shownForm() };
  const both = await Promise.all([walker.submit(path, next), walker.submit(path, next)]);
  expect(both.map(({ status }) => status)).toEqual([303, 303]);
  expect(await balanceOf(app, shop.consumer.id)).toBe(1000);
});

test('303: a form that is shown again, or sent with another amount, is another request', async () => {
  const form = { ...credit, _form: await shownForm() };
  await walker.submit(path, form);
  await walker.submit(path, { ...form, amount: '1.00' });
  await walker.submit(path, { ...credit, _form: await shownForm() });
  expect(await balanceOf(app, shop.consumer.id)).toBe(1100);
});

test('422 invalid_input: a refused form leaves nothing, and is accepted once it is right', async () => {
  const form = { ...credit, amount: 'much', _form: await shownForm() };
  expect([(await walker.submit(path, form)).status, (await walker.submit(path, form)).status]).toEqual([422, 422]);
  expect((await walker.submit(path, { ...form, amount: '5.00' })).status).toBe(303);
  expect(await balanceOf(app, shop.consumer.id)).toBe(500);
});

test('303: the form of another merchant has no effect on this one', async () => {
  const form = { ...credit, _form: randomUUID() };
  await walker.submit(path, form);
  const other = await createShop(app);
  const stranger = await enterConsole(app, other.merchant.email);
  await stranger.submit(`/console/customers/${other.consumer.id}/balances`, form);
  expect(await balanceOf(app, other.consumer.id)).toBe(500);
});
