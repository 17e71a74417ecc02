import { buyGift, redeemGift } from '../../support/boughtGifts';
import { call, listen } from '../../support/client';
import { createShop, reaches, subscribe, type Shop } from '../../support/factories';
import { createPayShop, paid, refund, refunded } from '../../support/payments';
import { intentOf, notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';

/** Refunds that begin at Stripe: made in its dashboard, or failed days later at the card's bank. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

const accessOf = async ({ item, consumer }: Shop) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status;

/** The merchant refunds in Stripe's dashboard: an amount in cents, or everything. */
async function refundInDashboard(token: string, amount?: number): Promise<string> {
  const { id } = await intentOf(app.stripe, token);
  const body = new URLSearchParams({ payment_intent: id, ...(amount !== undefined && { amount: String(amount) }) });
  const answer = await fetch(`${app.stripe.url}/v1/refunds`, { method: 'POST', body });
  expect(answer.status).toBe(200);
  return id;
}

const tell = (intent: string, type = 'charge.refunded') =>
  notify(app, { type, object: { id: 'ch_1', payment_intent: intent } });

/** The bank does not take the newest refund of an intent. */
function failNewest(intent: string): void {
  const made = app.stripe.refunds.findLast(({ payment_intent: of }) => of === intent);
  if (!made) throw new Error('nothing was refunded');
  Object.assign(made, { status: 'failed', failure_reason: 'expired_or_canceled_card' });
}

interface Books {
  state: string;
  amount: number;
  revoke: boolean;
  refundedMinor: number;
}

async function booksOf(token: string): Promise<Books[]> {
  const text = `SELECT r.state, r.amount_minor::int AS amount, r.revoke_access AS revoke, c.refunded_minor::int AS "refundedMinor"
    FROM refunds r JOIN charges c ON c.id = r.charge_id WHERE c.trx_token LIKE $1 ORDER BY r.id`;
  return (await app.pool.query<Books>(text, [`${token}%`])).rows;
}

/** The refunds in the merchant's reports, in cents. */
async function countedFor({ merchant }: Shop): Promise<number> {
  const text = `SELECT coalesce(sum(amount_minor), 0)::int AS sum FROM figure_deltas WHERE merchant_id = $1 AND figure = 'refunds'`;
  return (await app.pool.query<{ sum: number }>(text, [merchant.id])).rows[0]?.sum ?? 0;
}

test('200: a refund of a part, made in the dashboard, is in the books once, and takes no access', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const channel = await listen(app, shop.consumer);
  const intent = await refundInDashboard(token, 150);
  const answers = await Promise.all([tell(intent), tell(intent, 'refund.created'), tell(intent, 'refund.updated')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await booksOf(token)).toEqual([{ state: 'refunded', amount: 150, revoke: false, refundedMinor: 150 }]);
  expect((await channel.hears('payment.refund.success')).resource).toMatchObject({ amount: '1.50', is_partial: true });
  await channel.close();
  expect(await accessOf(shop)).toBe(200);
  expect((await refund(app, shop.merchant, token, { amount: '3.01' })).status).toBe(422);
});

test('200: a whole one ends the access of a payment, and one that fails gives it back', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const intent = await refundInDashboard(token);
  await tell(intent);
  expect(await booksOf(token)).toEqual([{ state: 'refunded', amount: 450, revoke: true, refundedMinor: 450 }]);
  expect(await accessOf(shop)).toBe(402);
  expect(await countedFor(shop)).toBe(450);
  failNewest(intent);
  await tell(intent, 'refund.failed');
  expect(await booksOf(token)).toEqual([{ state: 'failed', amount: 450, revoke: true, refundedMinor: 0 }]);
  expect(await accessOf(shop)).toBe(200);
  expect(await countedFor(shop)).toBe(0);
});

test('200: a whole one revokes a subscription, and one that fails restores it', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const intent = await refundInDashboard(body.subscription_id);
  await tell(intent);
  await reaches(app, shop.consumer, body.subscription_id, 'revoked');
  expect(await accessOf(shop)).toBe(402);
  failNewest(intent);
  await tell(intent, 'charge.refund.updated');
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect(await accessOf(shop)).toBe(200);
});

test('200: ours that the bank did not take may be made again, and is told as failed', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token, { revoke_access: true });
  await refunded(app, token);
  const intent = (await intentOf(app.stripe, token)).id;
  await tell(intent);
  expect(await booksOf(token)).toMatchObject([{ state: 'refunded' }]);
  const channel = await listen(app, shop.consumer);
  failNewest(intent);
  await tell(intent, 'refund.failed');
  await channel.hears('payment.refund.failed');
  await channel.close();
  expect(await booksOf(token)).toMatchObject([{ state: 'failed', refundedMinor: 0 }]);
  expect(await accessOf(shop)).toBe(200);
  expect((await refund(app, shop.merchant, token)).status).toBe(200);
});

test('200: of one that had failed before we heard of it nothing follows', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const intent = await refundInDashboard(token);
  failNewest(intent);
  await tell(intent, 'refund.failed');
  expect(await booksOf(token)).toEqual([{ state: 'failed', amount: 450, revoke: false, refundedMinor: 0 }]);
  expect(await accessOf(shop)).toBe(200);
});

test('200: the code of a gift that is given back whole is dead', async () => {
  const gift = await buyGift(app);
  await tell(await refundInDashboard(gift.token));
  expect((await redeemGift(app, gift, gift.receiver)).status).toBe(404);
});

test('503 service_unavailable: while Stripe does not answer, it is to tell again', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const intent = await refundInDashboard(token);
  app.stripe.fail('/v1/refunds', '500 after the work');
  const event = { id: `evt_again_${token}`, type: 'charge.refunded', object: { payment_intent: intent } };
  expect((await notify(app, event)).status).toBe(503);
  expect((await notify(app, event)).status).toBe(200);
  expect(await booksOf(token)).toMatchObject([{ state: 'refunded' }]);
});
