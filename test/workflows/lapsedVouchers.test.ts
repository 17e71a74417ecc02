import { call } from '../support/client';
import { cards, createShop, purchase, reaches, type Submitted } from '../support/factories';
import { giveTrial, startLives, type Lives } from '../support/lives';
import { createVoucher } from '../support/vouchers';

/** A trial that begins long after it was asked for: its voucher may be others' by then. */

let lives: Lives;

beforeAll(async () => (lives = await startLives({ isIdle: true })));

afterAll(() => lives.stop());

async function submitTrial(isTaken: boolean) {
  const shop = await createShop(lives.app);
  await giveTrial(lives.app, shop.fee.id, [7, 'day']);
  const { code } = await createVoucher(lives.app, shop.merchant, { usage_limit: 1 });
  const body = { ...purchase(shop, cards.success), voucher_code: code };
  const submitted = await call<Submitted>(lives.app, 'POST', '/subscriptions', body, shop.consumer);
  const id = submitted.body.subscription_id;
  const lapsed = `UPDATE voucher_uses SET state = 'lapsed', settled_at = now() WHERE subject = $1`;
  await lives.app.pool.query(lapsed, [id]);
  const count = 'UPDATE vouchers SET usage_counter = $2 WHERE merchant_id = $1';
  await lives.app.pool.query(count, [shop.merchant.id, isTaken ? 1 : 0]);
  return { shop, id };
}

test('subscribe.failed: not with a voucher that others have used meanwhile; with one that is left it begins', async () => {
  const [taken, left] = [await submitTrial(true), await submitTrial(false)];
  await lives.work();
  expect(await reaches(lives.app, taken.shop.consumer, taken.id, 'incomplete_expired')).toMatchObject({
    failure_reason: 'voucher_expired',
  });
  await reaches(lives.app, left.shop.consumer, left.id, 'trialing');
});
