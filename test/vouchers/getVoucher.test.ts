import { call } from '../support/client';
import { createMerchant, createShop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher, giveGift } from '../support/vouchers';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: as it was made', async () => {
  const { merchant, item } = await createShop(app);
  const voucher = await createVoucher(app, merchant, { rules: [{ rule_type: 'assets', value: item.id }] });
  const { status, body } = await call(app, 'GET', `/vouchers/${voucher.id}`, undefined, merchant);
  expect({ status, body }).toEqual({ status: 200, body: voucher });
});

test('404 voucher_not_found: of nobody, of another merchant, deleted, of a gift', async () => {
  const shop = await createShop(app);
  const other = await createVoucher(app, await createMerchant(app));
  const deleted = await createVoucher(app, shop.merchant);
  await call(app, 'DELETE', `/vouchers/${deleted.id}`, undefined, shop.merchant);
  await giveGift(shop);
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM vouchers WHERE merchant_id = $1 AND is_gift', [
    shop.merchant.id,
  ]);
  for (const id of [2_147_483_647, other.id, deleted.id, rows[0]?.id, 'x'])
    expect(await call(app, 'GET', `/vouchers/${id}`, undefined, shop.merchant)).toMatchObject({
      status: 404,
      body: { message: 'Voucher not found', error: 'voucher_not_found' },
    });
});
