import { call } from '../support/client';
import { createItem, createMerchant, createShop, type Person } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { statementsOf } from '../support/statements';
import { createVoucher, giveGift, type Voucher } from '../support/vouchers';

interface Page {
  total: number;
  page: number;
  offset: number;
  limit: number;
  collection: Voucher[];
}

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (merchant = await createMerchant(app)));

const list = async (query: string) => (await call<Page>(app, 'GET', `/vouchers${query}`, undefined, merchant)).body;
const found = async (query: string) => (await list(query)).collection.map(({ name }) => name);

test('200: the newest first, page by page, page 0 as page 1', async () => {
  for (const name of ['one', 'two', 'three']) await createVoucher(app, merchant, { name });
  const { collection, ...rest } = await list('?page=2&size=2');
  expect(rest).toEqual({ total: 3, page: 2, offset: 2, limit: 2, next_cursor: null });
  expect(collection.map(({ name }) => name)).toEqual(['one']);
  for (const page of [0, 1]) expect(await found(`?page=${page}&size=2`)).toEqual(['three', 'two']);
});

test('200: nobody else’s, none that is deleted, and no gift', async () => {
  const shop = await createShop(app);
  await createVoucher(app, shop.merchant);
  const { id } = await createVoucher(app, merchant);
  await call(app, 'DELETE', `/vouchers/${id}`, undefined, merchant);
  expect(await list('')).toMatchObject({ total: 0, collection: [] });
  await giveGift(shop);
  const { body } = await call<Page>(app, 'GET', '/vouchers', undefined, shop.merchant);
  expect(body.total).toBe(1);
});

test('200: searched by id, a part of the name, the beginning of the code in any case, the period; all must hold', async () => {
  const spring = await createVoucher(app, merchant, { name: 'Spring sale', code: 'SPRING-25' });
  await createVoucher(app, merchant, { name: 'Autumn sale', code: 'AUTUMN', discount_period: 'forever' });
  expect(await found(`?search[]=id:${spring.id}`)).toEqual(['Spring sale']);
  expect(await found('?search[]=name:SALE')).toEqual(['Autumn sale', 'Spring sale']);
  expect(await found('?search[]=code:spring')).toEqual(['Spring sale']);
  expect(await found('?search[]=code:25')).toEqual([]);
  expect(await found('?search[0]=name:sale&search[1]=discount_period:forever')).toEqual(['Autumn sale']);
});

test('200: searched by an id of ten digits; none is one that no id can be', async () => {
  const { id } = await createVoucher(app, merchant, { name: 'late' });
  await app.pool.query('UPDATE vouchers SET id = 2000000001 WHERE id = $1', [id]);
  expect(await found('?search[]=id:2000000001')).toEqual(['late']);
  for (const value of ['2147483648', '20000000010', '-2000000001', '2e9'])
    expect(await found(`?search[]=id:${value}`)).toEqual([]);
});

test('200: what is searched for is bound, and its wildcards are letters', async () => {
  await createVoucher(app, merchant, { name: '100% off', code: 'HUNDRED_1' });
  expect(await found(`?search[]=${encodeURIComponent('name:100%')}`)).toEqual(['100% off']);
  expect(await found(`?search[]=${encodeURIComponent('code:HUNDRED_')}`)).toEqual(['100% off']);
  for (const term of ['name:1%f', 'code:H%', 'code:_UNDRED', "name:' OR 1=1 --", 'id:1 OR 1=1', 'discount_period:x'])
    expect(await found(`?search[]=${encodeURIComponent(term)}`)).toEqual([]);
});

test.each(['?search[]=merchant_id:1', '?search[]=name', '?search[]=name:', '?page=-1', '?size=501', '?size=0'])(
  '422 invalid_input: %s',
  async (query) => {
    const reply = await call<ErrorBody>(app, 'GET', `/vouchers${query}`, undefined, merchant);
    expect(reply).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
  },
);

test('200: as many statements however many items the rules name', async () => {
  const naming = async (count: number) => {
    const items = await Promise.all(Array.from({ length: count }, () => createItem(app, merchant)));
    const rules = items.map(({ id }) => ({ rule_type: 'assets', value: id }));
    await createVoucher(app, merchant, { rules });
    const sent = await statementsOf(() => list(''));
    return sent.map(({ name }) => name).filter((name) => name.startsWith('item_'));
  };
  expect(await naming(1)).toEqual(['item_cards']);
  expect(await naming(12)).toEqual(['item_cards']);
});
