import type * as Charges from '../../src/subscriptions/charges/charges';
import type * as Lifecycle from '../../src/subscriptions/payments/paymentSteps';
import type * as Refunds from '../../src/subscriptions/refunds/sending';
import { cards } from '../support/factories';
import { createPayShop, findPaymentFaults, pay, refund, refundCards } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

/** Activities run at least once, and sometimes twice at the same time. The effect happens once. */

let app: TestApp;
let charges: typeof Charges;
let lifecycle: typeof Lifecycle;
let refunds: typeof Refunds;

// No worker runs here: the steps are called by hand.
beforeAll(async () => {
  app = await startApp();
  charges = await import('../../src/subscriptions/charges/charges.js');
  lifecycle = await import('../../src/subscriptions/payments/paymentSteps.js');
  refunds = await import('../../src/subscriptions/refunds/sending.js');
});

afterAll(() => app.stop());

const times = <T>(count: number, step: () => Promise<T>) => Promise.all(Array.from({ length: count }, step));

async function idOf(table: 'payments' | 'refunds', condition: string, value: string): Promise<number> {
  const { rows } = await app.pool.query<{ id: number }>(`SELECT id FROM ${table} WHERE ${condition}`, [value]);
  return rows[0]?.id ?? 0;
}

async function submitted(card: string) {
  const shop = await createPayShop(app);
  const { body } = await pay(app, shop, card);
  const token = body.transaction;
  return { shop, token, paymentId: await idOf('payments', 'token = $1', token) };
}

/** A completed payment, and its enqueued refund. */
async function promised(card: string) {
  const { shop, token, paymentId } = await submitted(card);
  await charges.chargeCycle({ paymentId });
  await lifecycle.completePayment(paymentId);
  await refund(app, shop.merchant, token, { revoke_access: true });
  const ofCharge = 'charge_id = (SELECT id FROM charges WHERE trx_token = $1)';
  return { token, refundId: await idOf('refunds', ofCharge, token) };
}

const told = async (pattern: string) => {
  const text = 'SELECT type FROM events WHERE dedupe_key LIKE $1 ORDER BY sequence';
  return (await app.pool.query<{ type: string }>(text, [pattern])).rows.map(({ type }) => type);
};

test('chargeCycle and completePayment, 20 times at once: one charge, one access, one of each event', async () => {
  const { token, paymentId } = await submitted(cards.success);
  const outcomes = await times(20, () => charges.chargeCycle({ paymentId }));
  expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ outcome: 'paid' })));
  await times(20, () => lifecycle.completePayment(paymentId));
  expect(await findPaymentFaults(app.pool, token)).toEqual([]);
});

test('failPayment, 20 times at once: one event', async () => {
  const { token, paymentId } = await submitted(cards.declined);
  await charges.chargeCycle({ paymentId });
  await times(20, () => lifecycle.failPayment({ paymentId, reason: 'declined', message: 'No.' }));
  expect(await findPaymentFaults(app.pool, token)).toEqual([]);
});

test('completePayment and failPayment at once: one of them, never both', async () => {
  const { token, paymentId } = await submitted(cards.success);
  await charges.chargeCycle({ paymentId });
  await Promise.all([
    times(10, () => lifecycle.completePayment(paymentId)),
    times(10, () => lifecycle.failPayment({ paymentId, reason: 'declined', message: 'No.' })),
  ]);
  expect((await told(`${token}:%`)).filter((type) => type.startsWith('payment.card'))).toHaveLength(1);
});

test('voidCharge of what was never sent: declined, and not sent afterwards', async () => {
  const { token, paymentId } = await submitted(cards.success);
  expect(await charges.voidCharge({ paymentId })).toMatchObject({
    outcome: 'declined',
    reason: 'provider_unavailable',
  });
  expect(await charges.chargeCycle({ paymentId })).toMatchObject({ outcome: 'declined' });
  await lifecycle.failPayment({ paymentId, reason: 'provider_unavailable', message: 'No.' });
  expect(await findPaymentFaults(app.pool, token)).toEqual([]);
});

test('sendRefund, 20 times at once: given back once, told once', async () => {
  const { token, refundId } = await promised(cards.success);
  const outcomes = await times(20, () => refunds.sendRefund(refundId));
  expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ outcome: 'refunded' })));
  expect(await findPaymentFaults(app.pool, token)).toEqual([]);
  expect(await told('R-%')).toEqual(['access.revoked', 'payment.refund.success']);
});

test('sendRefund and lookUpRefund at once, after a lost answer: given back once', async () => {
  const { token, refundId } = await promised(refundCards.timeoutAfterRefunding);
  expect(await refunds.sendRefund(refundId)).toEqual({ outcome: 'unknown' });
  await Promise.all([times(10, () => refunds.sendRefund(refundId)), times(10, () => refunds.lookUpRefund(refundId))]);
  expect(await findPaymentFaults(app.pool, token)).toEqual([]);
});

test('a refused refund, 20 times at once: the amount is set free once', async () => {
  const { token, refundId } = await promised(refundCards.refused);
  await times(20, () => refunds.sendRefund(refundId));
  const { rows } = await app.pool.query('SELECT refunded_minor::int FROM charges WHERE trx_token = $1', [token]);
  expect(rows).toEqual([{ refunded_minor: 0 }]);
});
