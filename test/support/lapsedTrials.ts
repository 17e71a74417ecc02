import { call } from './client';
import { cards, createShop, purchase, type Shop, type Submitted } from './factories';
import { giveTrial } from './scenarios';
import { type TestApp } from './startApp';
import { createVoucher } from './vouchers';

/** A trial that has not begun, whose voucher reservation has lapsed. `isTaken`: other customers have used the voucher up. */
export async function submitLapsedTrial(app: TestApp, isTaken: boolean): Promise<{ shop: Shop; id: string }> {
  const shop = await createShop(app);
  await giveTrial(app, shop.fee.id, [7, 'day']);
  const { code } = await createVoucher(app, shop.merchant, { usage_limit: 1 });
  const body = { ...purchase(shop, cards.success), voucher_code: code };
  const submitted = await call<Submitted>(app, 'POST', '/subscriptions', body, shop.consumer);
  const id = submitted.body.subscription_id;
  await app.pool.query(`UPDATE voucher_uses SET state = 'lapsed', settled_at = now() WHERE subject = $1`, [id]);
  const count = 'UPDATE vouchers SET usage_counter = $2 WHERE merchant_id = $1';
  await app.pool.query(count, [shop.merchant.id, isTaken ? 1 : 0]);
  return { shop, id };
}
