import { call } from '../../support/client';
import { createConsumer, createMerchant, createShop, type Person, type Shop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let shop: Shop;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => (shop = await createShop(app)));
afterAll(() => app.stop());

interface Page {
  total: number;
  next_cursor: string | null;
  collection: { id: number; amount: number; currency: string; note: string }[];
}

const pathOf = ({ id }: Pick<Person, 'id'>) => `/v2/accounts/customers/${id}/balances/movements`;
const adjust = (amount: number, currency = 'EUR') =>
  call(app, 'POST', pathOf(shop.consumer), { amount, currency, note: 'Goodwill' }, shop.merchant);
const list = (query = '', of: Pick<Person, 'id'> = shop.consumer, by: Person = shop.merchant) =>
  call<Page>(app, 'GET', `${pathOf(of)}${query}`, undefined, by);

test('200: newest first, and by currency', async () => {
  expect((await list()).body).toMatchObject({ total: 0, next_cursor: null, collection: [] });
  await adjust(12.34);
  await adjust(-100, 'JPY');
  expect((await list()).body).toMatchObject({
    total: 2,
    collection: [
      { amount: -100, currency: 'JPY', note: 'Goodwill' },
      { amount: 12.34, currency: 'EUR' },
    ],
  });
  expect((await list('?currency=eur')).body).toMatchObject({ total: 1, collection: [{ amount: 12.34 }] });
});

test('404 account_not_found: another merchant’s customer, a merchant, nobody', async () => {
  await adjust(5);
  const refused = { status: 404, body: { error: 'account_not_found' } };
  expect(await list('', shop.consumer, await createMerchant(app))).toMatchObject(refused);
  for (const stranger of [shop.merchant, { id: 2_147_483_647 }])
    expect(await list('', stranger)).toMatchObject(refused);
});

test('200: pages by cursor repeat and skip nothing while movements are added', async () => {
  for (const amount of [1, 2, 3, 4, 5]) await adjust(amount);
  const seen: number[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body }: { body: Page } = await list(`?limit=2${cursor && `&cursor=${cursor}`}`);
    seen.push(...body.collection.map(({ amount }) => amount));
    cursor = body.next_cursor;
    await adjust(9);
  }
  expect(seen).toEqual([5, 4, 3, 2, 1]);
  expect((await list('?page=2&limit=6')).body).toMatchObject({ total: 8, collection: [{ amount: 2 }, { amount: 1 }] });
  expect((await list('?cursor=x')).status).toBe(422);
  const other = await createConsumer(app, shop.merchant);
  expect((await list('', other)).body).toMatchObject({ total: 0, collection: [], next_cursor: null });
});
