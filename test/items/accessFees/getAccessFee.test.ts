import { call } from '../../support/client';
import { createFee, createItem, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const get = (itemId: number, feeId: number | string, person: Person = merchant) =>
  call(app, 'GET', `/v2/items/${itemId}/access-fees/${feeId}`, undefined, person);

test('200: the fee, on sale or not', async () => {
  const { id } = await createItem(app, merchant);
  const fees = [await createFee(app, merchant, id), await createFee(app, merchant, id, { expires_at: 1_700_000_000 })];
  for (const fee of fees) expect(await get(id, fee.id)).toMatchObject({ status: 200, body: fee });
});

test('404 item_not_found: no such item, and an item of another merchant alike', async () => {
  const other = await createMerchant(app);
  const foreign = await createItem(app, other);
  const fee = await createFee(app, other, foreign.id);
  for (const itemId of [2_147_483_647, foreign.id])
    expect(await get(itemId, fee.id)).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
});

test('404 access_fee_not_found: no such fee, one of another item, and one that was deleted', async () => {
  const { id } = await createItem(app, merchant);
  const other = await createFee(app, merchant, (await createItem(app, merchant)).id);
  const gone = await createFee(app, merchant, id);
  await call(app, 'DELETE', `/items/access-fees/${gone.id}`, undefined, merchant);
  for (const feeId of [2_147_483_647, other.id, gone.id, 'x']) expect((await get(id, feeId)).status).toBe(404);
  expect(await get(id, gone.id)).toMatchObject({ body: { message: 'Fee not found', error: 'access_fee_not_found' } });
});
