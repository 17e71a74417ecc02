import { call } from '../support/client';
import { createMerchant, createShop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher } from '../support/vouchers';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: nobody can use it any more, and its row stays for what was bought with it', async () => {
  const { merchant, consumer, fee } = await createShop(app);
  const { id, code } = await createVoucher(app, merchant);
  const reply = await call(app, 'DELETE', `/vouchers/${id}`, undefined, merchant);
  expect(reply).toMatchObject({ status: 200, body: { code: 200, message: 'Voucher successfully deleted' } });
  const fields = { voucher_code: code, access_fee_id: fee.id };
  expect(await call(app, 'POST', '/vouchers/discount', fields, consumer)).toMatchObject({ status: 404 });
  const { rows } = await app.pool.query('SELECT code FROM vouchers WHERE id = $1', [id]);
  expect(rows).toEqual([{ code }]);
});

test('404 voucher_not_found: twice, and another merchant’s', async () => {
  const merchant = await createMerchant(app);
  const other = await createVoucher(app, await createMerchant(app));
  const { id } = await createVoucher(app, merchant);
  await call(app, 'DELETE', `/vouchers/${id}`, undefined, merchant);
  for (const unknown of [id, other.id])
    expect(await call(app, 'DELETE', `/vouchers/${unknown}`, undefined, merchant)).toMatchObject({
      status: 404,
      body: { error: 'voucher_not_found' },
    });
});
