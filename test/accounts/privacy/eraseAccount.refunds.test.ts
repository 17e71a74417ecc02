import { type RunningWorker } from '../../../workers/worker';
import { cards, createShop, reaches, subscribe, type Shop } from '../../support/factories';
import { createPayShop, paid, pay, refund, refundCards, refunded } from '../../support/payments';
import { isErased, operationOf, requestErasure } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import { queryBooks } from '../../support/providerBooks';

/** A charge that was in progress when an erasure began is refunded. Earlier charges stay. */

let app: TestApp;
let worker: RunningWorker | undefined;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const startWorker = async () => (worker = await app.startWorker());

async function stopWorker(): Promise<void> {
  await worker?.stop();
  worker = undefined;
}

afterEach(stopWorker);

/** What the provider charged and refunded for a purchase. */
async function booksOf(token: string): Promise<unknown> {
  const text = `SELECT c.status, c.amount_minor::int AS charged, coalesce(sum(r.amount_minor), 0)::int AS back
    FROM sandbox_charges c LEFT JOIN sandbox_refunds r ON r.charge_key = c.idempotency_key AND r.status = 'refunded'
    WHERE c.idempotency_key LIKE $1 || '%' GROUP BY c.idempotency_key, c.status, c.amount_minor`;
  return (await queryBooks<Record<string, unknown>>(app.pool, text, [token])).rows;
}

type Name = 'subscription' | 'payment';

/** The provider has charged, its answer is lost, and the erasure begins before the charge is looked up. */
async function eraseWhileLost(kind: Name, { consumer }: Shop, token: string): Promise<void> {
  const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
  const { rows } = await app.pool.query<{ id: number }>(`SELECT id FROM ${kind}s WHERE token = $1`, [token]);
  const id = rows[0]?.id ?? 0;
  const charge = kind === 'payment' ? { paymentId: id } : { subscriptionId: id, cycle: 1, attempt: 1 };
  expect(await chargeCycle(charge)).toEqual({ outcome: 'unknown' });
  expect((await requestErasure(app, consumer)).status).toBe(202);
  await startWorker();
  await isErased(app, consumer.id);
}

test('payment.refund.success: a first payment of a subscription that never began for its owner', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop, cards.timeoutAfterCharging);
  await eraseWhileLost('subscription', shop, body.subscription_id);
  await refunded(app, `${body.subscription_id}-1-1`);
  expect(await booksOf(body.subscription_id)).toEqual([{ status: 'paid', charged: 999, back: 999 }]);
  const { rows } = await app.pool.query(
    `SELECT s.state, c.status, c.refunded_minor::int AS back FROM subscriptions s JOIN charges c ON c.subscription_id = s.id
     WHERE s.token = $1`,
    [body.subscription_id],
  );
  expect(rows).toEqual([{ state: 'canceled', status: 'paid', back: 999 }]);
});

test('payment.refund.success: a one-time payment', async () => {
  const shop = await createPayShop(app);
  const { body } = await pay(app, shop, cards.timeoutAfterCharging);
  await eraseWhileLost('payment', shop, body.transaction);
  await refunded(app, body.transaction);
  expect(await booksOf(body.transaction)).toEqual([{ status: 'paid', charged: 450, back: 450 }]);
});

test('202: a gift on its way stays paid: it is its receiver’s', async () => {
  const shop = await createPayShop(app);
  const gift = { is_gift: true, receiver_email: 'boris@example.org' };
  const { body } = await pay(app, shop, cards.timeoutAfterCharging, gift);
  await eraseWhileLost('payment', shop, body.transaction);
  expect(await booksOf(body.transaction)).toEqual([{ status: 'paid', charged: 450, back: 0 }]);
  const text = 'SELECT state FROM gift_vouchers WHERE buyer_account_id = $1';
  expect((await app.pool.query(text, [shop.consumer.id])).rows).toEqual([{ state: 'bought' }]);
});

test('202: what was paid before stays, and its merchant may give it back whenever it is', async () => {
  const shop = await createShop(app);
  await startWorker();
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await requestErasure(app, shop.consumer);
  await isErased(app, shop.consumer.id);
  expect(await booksOf(body.subscription_id)).toEqual([{ status: 'paid', charged: 999, back: 0 }]);
  const charge = `${body.subscription_id}-1-1`;
  expect((await refund(app, shop.merchant, charge)).status).toBe(200);
  await refunded(app, charge);
  expect(await booksOf(body.subscription_id)).toEqual([{ status: 'paid', charged: 999, back: 999 }]);
  const mails = await app.pool.query(`SELECT 1 FROM mails WHERE recipient LIKE 'erased-%'`);
  expect(mails.rows).toEqual([]);
});

test('payment.refund.success: asked for before the erasure, and answered after it', async () => {
  const shop = await createPayShop(app);
  await startWorker();
  const token = await paid(app, shop, refundCards.timeoutBeforeRefunding);
  await refund(app, shop.merchant, token);
  await until(
    async () =>
      (await queryBooks(app.pool, 'SELECT 1 FROM sandbox_refunds WHERE charge_key = $1', [token])).rows.length > 0,
  );
  await stopWorker();
  await requestErasure(app, shop.consumer);
  const { wipeAccount } = await import('../../../src/privacy/erasures.js');
  expect(await wipeAccount(await operationOf(app, shop.consumer.id))).toEqual({ isWiped: true });
  await startWorker();
  await refunded(app, token);
  expect(await booksOf(token)).toEqual([{ status: 'paid', charged: 450, back: 450 }]);
});

test('a refund that is promised twice is one', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop, cards.timeoutAfterCharging);
  await eraseWhileLost('subscription', shop, body.subscription_id);
  const { refundUnserved } = await import('../../../src/subscriptions/refunds/refunds.js');
  const of = { accountId: shop.consumer.id, merchantId: shop.merchant.id, requestId: 'again' };
  await Promise.all([refundUnserved(of), refundUnserved(of)]);
  const text = 'SELECT count(*)::int AS count FROM refunds WHERE account_id = $1';
  expect((await app.pool.query(text, [shop.consumer.id])).rows).toEqual([{ count: 1 }]);
});
