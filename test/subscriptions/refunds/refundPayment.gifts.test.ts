import { buyGift, redeemGift } from '../../support/boughtGifts';
import { waitForLocks } from '../../support/locks';
import { findPaymentFaults, refund, refundCards, refunded, settles } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('payment.refund.success: an unused gift is given back, and its code is dead', async () => {
  const gift = await buyGift(app);
  await refund(app, gift.shop.merchant, gift.token);
  await refunded(app, gift.token);
  expect(await redeemGift(app, gift, gift.receiver)).toMatchObject({
    status: 404,
    body: { error: 'voucher_not_found' },
  });
  expect(await findPaymentFaults(app.pool, gift.token)).toEqual([]);
});

test('payment.refund.success: a refunded gift takes nothing from its buyer, and says so to nobody', async () => {
  const gift = await buyGift(app);
  await refund(app, gift.shop.merchant, gift.token, { revoke_access: true });
  await refunded(app, gift.token);
  const told = `SELECT type FROM events WHERE merchant_id = $1 AND type IN ('access.revoked', 'payment.refund.success')`;
  expect((await app.pool.query(told, [gift.shop.merchant.id])).rows).toEqual([{ type: 'payment.refund.success' }]);
});

test('409 gift_used: a redeemed gift is not given back; a part of it may be', async () => {
  const gift = await buyGift(app);
  const { body } = await redeemGift(app, gift, gift.receiver);
  await settles(app, body.transaction, 'paid');
  expect(await refund(app, gift.shop.merchant, gift.token)).toMatchObject({
    status: 409,
    body: { error: 'gift_used' },
  });
  expect((await refund(app, gift.shop.merchant, gift.token, { amount: '1' })).status).toBe(200);
  await refunded(app, gift.token);
  expect(await findPaymentFaults(app.pool, gift.token)).toEqual([]);
});

test('payment.refund.failed: a gift whose refund the bank refuses can be redeemed', async () => {
  const gift = await buyGift(app, { card: refundCards.refused });
  await refund(app, gift.shop.merchant, gift.token);
  await refunded(app, gift.token, 1, 'failed');
  const { body } = await redeemGift(app, gift, gift.receiver);
  await settles(app, body.transaction, 'paid');
  expect(await findPaymentFaults(app.pool, gift.token)).toEqual([]);
});

test('payment.card.success: the setup fee of a gift is its buyer’s, and is paid once', async () => {
  const gift = await buyGift(app, { fee: { setup_fee_amount: '2.00', setup_fee_description: 'Set-up' } });
  const { status, body } = await redeemGift(app, gift, gift.receiver);
  expect(status).toBe(200);
  await settles(app, body.transaction, 'paid');
  const text = 'SELECT charged_minor::int AS charged FROM payments WHERE token = ANY($1) ORDER BY id';
  const { rows } = await app.pool.query(text, [[gift.token, body.transaction]]);
  expect(rows).toEqual([{ charged: 650 }, { charged: 0 }]);
});

test('payment.refund.success: given back in two halves at once, its code is dead', async () => {
  const gift = await buyGift(app);
  const half = () => refund(app, gift.shop.merchant, gift.token, { amount: '2.25' });
  // Both requests begin before either reserves its half.
  const holder = await app.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM charges WHERE trx_token = $1 FOR UPDATE', [gift.token]);
  const replies = Promise.all([half(), half()]);
  await waitForLocks(app.pool, 2);
  await holder.query('COMMIT');
  holder.release();
  expect((await replies).map(({ status }) => status)).toEqual([200, 200]);
  await refunded(app, gift.token, 2);
  expect((await redeemGift(app, gift, gift.receiver)).status).toBe(404);
});
