import { type z } from 'zod';
import { type BatchPage, type BatchResponse } from '../../../src/vouchers/batches.schemas';
import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { voucherFields } from '../../support/vouchers';

let app: TestApp;
let merchant: Person;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());
beforeEach(async () => (merchant = await createMerchant(app)));

const create = async (name: string) => {
  const fields = { ...voucherFields, name, count: 2 };
  return (await call<z.output<typeof BatchResponse>>(app, 'POST', '/v2/voucher-batches', fields, merchant)).body;
};
const list = async (query = '', caller: Person = merchant) =>
  (await call<z.output<typeof BatchPage>>(app, 'GET', `/v2/voucher-batches${query}`, undefined, caller)).body;

test('200: newest first, by page and by cursor, even while batches are added', async () => {
  const [first, second, third] = [await create('First'), await create('Second'), await create('Third')];
  expect(await list()).toMatchObject({ total: 3, next_cursor: null, collection: [third, second, first] });
  expect(await list('?page=2&limit=2')).toMatchObject({ total: 3, collection: [first] });
  const begun = await list('?limit=2');
  expect(begun.collection).toEqual([third, second]);
  await create('Fourth');
  const rest = await list(`?limit=2&cursor=${begun.next_cursor}`);
  expect(rest).toMatchObject({ next_cursor: null, collection: [first] });
});

test('200: an empty list for a merchant without batches and for another merchant', async () => {
  expect(await list()).toMatchObject({ total: 0, next_cursor: null, collection: [] });
  const { id } = await create('First');
  const other = await createMerchant(app);
  expect(await list('', other)).toMatchObject({ total: 0, collection: [] });
  const codes = await call(app, 'GET', `/vouchers?search[]=batch:${id}`, undefined, other);
  expect(codes.body).toMatchObject({ total: 0, collection: [] });
});
