import { check, moveClock } from '../../support/access';
import { buyGift, type BoughtGift, redeemGift } from '../../support/boughtGifts';
import { call } from '../../support/client';
import { settles } from '../../support/payments';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

/** A paid gift belongs to its receiver, even if the sale ends. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const endings: [string, (gift: BoughtGift) => Promise<unknown>][] = [
  [
    'its fee is deleted',
    ({ shop: { merchant, item, fee } }) =>
      call(app, 'DELETE', `/v2/items/${item.id}/access-fees/${fee.id}`, undefined, merchant),
  ],
  [
    'its item is deleted',
    ({ shop: { merchant, item } }) => call(app, 'DELETE', `/items/${item.id}`, undefined, merchant),
  ],
  ['the sale is over', ({ shop: { merchant } }) => moveClock(app, merchant, '3 days')],
];

test.each(endings)('200: a gift is redeemed although %s, and told so before', async (_what, end) => {
  const inTwoDays = Math.floor(Date.now() / 1000) + 2 * 86_400;
  const gift = await buyGift(app, { fee: { expires_at: inTwoDays } });
  const { shop, code, receiver, stranger } = gift;
  await end(gift);
  const asked = { access_fee_id: shop.fee.id, voucher_code: code };
  const told = await call(app, 'POST', '/vouchers/discount', asked, receiver);
  expect([told.status, told.body]).toMatchObject([200, { amount: 0, first_charge: 0 }]);
  expect((await redeemGift(app, gift, stranger)).status).toBe(404);
  const { status, body } = await redeemGift(app, gift, receiver);
  expect(status).toBe(200);
  await settles(app, body.transaction, 'paid');
  expect((await check(app, shop.item.id, receiver)).status).toBe(200);
  const again = { access_fee: shop.fee.id, voucher_code: code };
  expect((await call(app, 'POST', '/payments', again, receiver)).status).toBe(404);
});

test('422 invalid_input: a gift is not given on', async () => {
  const gift = await buyGift(app);
  const { shop, code, receiver, stranger } = gift;
  const onwards = { access_fee: shop.fee.id, voucher_code: code, is_gift: true, receiver_email: stranger.email };
  const { status, body } = await call<ErrorBody>(app, 'POST', '/payments', onwards, receiver);
  expect([status, body.error, Object.keys(body.errors ?? {})]).toEqual([422, 'invalid_input', ['voucher_code']]);
  expect((await redeemGift(app, gift, receiver)).status).toBe(200);
});
