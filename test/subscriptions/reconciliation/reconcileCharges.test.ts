import { type ReconciliationResult } from '../../../workflows/messages';
import { cards } from '../../support/factories';
import { mailsTo } from '../../support/ledger';
import { createPayShop, pay, refund, refundCards } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { connectTemporal, type TemporalClient } from '../../support/temporalClient';
import { until } from '../../support/until';
import { queryBooks } from '../../support/providerBooks';

let app: TestApp;
let temporal: TemporalClient;
let reconcileCharges: () => Promise<ReconciliationResult>;

// No worker runs at first: a charge stays as it was left.
beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
  ({ reconcileCharges } = await import('../../../src/subscriptions/provider/reconciliation.js'));
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

async function charged(card: string, change: string) {
  const shop = await createPayShop(app);
  const token = (await pay(app, shop, card)).body.transaction;
  const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM payments WHERE token = $1', [token]);
  const paymentId = rows[0]?.id ?? 0;
  await chargeCycle({ paymentId });
  await app.pool.query(`UPDATE charges SET ${change} WHERE trx_token = $1`, [token]);
  return { shop, token, paymentId };
}

const anHourAgo = `created_at = now() - interval '1 hour'`;

test('a charge that the provider made, and of which we have not heard for a while', async () => {
  const old = await charged(cards.timeoutAfterCharging, anHourAgo);
  const young = await charged(cards.timeoutAfterCharging, 'attempt = attempt');
  const { different } = await reconcileCharges();
  expect(different).toContain(old.token);
  expect(different).not.toContain(young.token);
});

const providerRefunds = async (token: string) => {
  const text = `SELECT amount_minor::int AS amount FROM sandbox_refunds WHERE charge_key = $1 AND status = 'refunded'`;
  return (await queryBooks<{ amount: number }>(app.pool, text, [token])).rows.map(({ amount }) => amount);
};

test.each(['authentication_expired', 'provider_unavailable', 'provider_silent', 'account_erased'])(
  'a payer who was charged for what had been given up has it back, once and with a mail: %s',
  async (reason) => {
    const late = `status = 'declined', decline_reason = '${reason}', settled_at = now()`;
    const { token, shop } = await charged(cards.success, late);
    expect((await reconcileCharges()).returned).toContain(token);
    expect(await reconcileCharges()).not.toMatchObject({ returned: expect.arrayContaining([token]) as unknown });
    expect(await providerRefunds(token)).toEqual([450]);
    expect(await mailsTo(app, shop.consumer.id)).toEqual(['refund']);
  },
);

test('a refund of it whose answer is lost is looked up in the next round', async () => {
  const late = `status = 'declined', decline_reason = 'provider_silent', settled_at = now()`;
  const { token } = await charged(refundCards.timeoutAfterRefunding, late);
  expect((await reconcileCharges()).different).toContain(token);
  expect((await reconcileCharges()).returned).toContain(token);
  expect(await providerRefunds(token)).toEqual([450]);
});

test('one that the bank does not take back needs a person', async () => {
  const late = `status = 'declined', decline_reason = 'provider_silent', settled_at = now()`;
  const { token } = await charged(refundCards.refused, late);
  expect((await reconcileCharges()).different).toContain(token);
});

test('all are looked at, not only the newest two hundred', async () => {
  const { token } = await charged(cards.timeoutAfterCharging, anHourAgo);
  await app.pool.query(
    `INSERT INTO charges (merchant_id, account_id, payment_id, cycle, attempt, idempotency_key, card_id, amount_minor,
       currency, status, created_at)
     SELECT merchant_id, account_id, payment_id, 1, n + 1, idempotency_key || n, card_id, 1, currency, 'open', created_at
     FROM charges, generate_series(1, 250) n WHERE trx_token = $1`,
    [token],
  );
  const found = await reconcileCharges();
  expect(found.lookedUp).toBeGreaterThan(250);
  expect(found.different).toContain(token);
  await app.pool.query(`DELETE FROM charges WHERE amount_minor = 1`);
});

test('not one that waits for its payer, nor one that the provider never saw', async () => {
  const waiting = await charged(cards.needsAuthentication, anHourAgo);
  const unsent = await charged(cards.timeoutBeforeCharging, anHourAgo);
  const { different } = await reconcileCharges();
  expect(different).not.toContain(waiting.token);
  expect(different).not.toContain(unsent.token);
});

test('a refund that went through, and of which we have not heard', async () => {
  const { shop, token, paymentId } = await charged(refundCards.timeoutAfterRefunding, 'attempt = attempt');
  const { completePayment } = await import('../../../src/subscriptions/payments/paymentSteps.js');
  const { sendRefund } = await import('../../../src/subscriptions/refunds/sending.js');
  await completePayment(paymentId);
  await refund(app, shop.merchant, token);
  const text = `UPDATE refunds r SET created_at = r.created_at - interval '1 hour' FROM charges c
    WHERE c.id = r.charge_id AND c.trx_token = $1 RETURNING r.id, r.token`;
  const { rows } = await app.pool.query<{ id: number; token: string }>(text, [token]);
  await sendRefund(rows[0]?.id ?? 0);
  expect((await reconcileCharges()).different).toContain(rows[0]?.token);
});

test('the schedule is made once, however many workers start, and its workflow tells what it found', async () => {
  const { ensureSchedule } = await import('../../../src/adapters/schedules.js');
  const [scheduleId = ''] = await Promise.all([1, 2, 3].map(() => ensureSchedule('reconcile')));
  const schedule = temporal.client.schedule.getHandle(scheduleId);
  await app.startWorker();
  await schedule.trigger();
  const action = await until(async () => (await schedule.describe()).info.recentActions[0]?.action);
  const { workflowId, firstExecutionRunId } = action.workflow;
  const found: unknown = await temporal.client.workflow.getHandle(workflowId, firstExecutionRunId).result();
  expect(found).toEqual({
    lookedUp: expect.any(Number) as number,
    different: expect.any(Array) as string[],
    returned: expect.any(Array) as string[],
  });
  await schedule.delete();
});
