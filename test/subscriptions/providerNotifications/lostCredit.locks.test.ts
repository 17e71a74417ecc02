import { type PoolClient } from 'pg';
import { type Transaction } from '../../../src/adapters/postgres/connection';
import { type OpenedCharge } from '../../../src/subscriptions/charges/opening.model';
import { charged, createMandate, offerDebits, subscribeByDebit } from '../../support/debits';
import { createYear, otherPlan, toMonth } from '../../support/lostCredit';
import { listWaiting } from '../../support/locks';
import { stripeIbans } from '../../support/stripeDebits';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { until } from '../../support/until';

/** The transactions that follow lost credit lock all subscriptions of the customer first, then charges, then the balance. */

let app: StripeApp;
let credited: OpenedCharge;
let debit: OpenedCharge;
let holder: PoolClient;

/** A debit that uses the credit of a year. */
beforeAll(async () => {
  app = await startStripeApp();
  const year = await createYear(app);
  await toMonth(app, year);
  const { other } = await otherPlan(app, year, { amount: '120' });
  await offerDebits(app, other);
  await createMandate(app, other, stripeIbans.paid);
  const token = (await subscribeByDebit(app, other)).body.subscription_id;
  await charged(app, token, 'processing');
  credited = await chargeOf(year.token);
  debit = await chargeOf(token);
});
afterAll(() => app.stop());

async function chargeOf(token: string): Promise<OpenedCharge> {
  const text = `SELECT id, status, account_id AS "accountId", currency FROM charges WHERE idempotency_key = $1`;
  const [charge] = (await app.pool.query<OpenedCharge>(text, [`${token}:1:1`])).rows;
  if (!charge) throw new Error('There is no charge');
  return charge;
}

beforeEach(async () => {
  holder = await app.pool.connect();
  await holder.query('BEGIN');
});
afterEach(async () => {
  await holder.query('ROLLBACK');
  holder.release();
});

/** Another transaction has locked the subscription of a charge. */
const holdSubscription = ({ id }: OpenedCharge) =>
  holder.query('SELECT FROM subscriptions WHERE id = (SELECT subscription_id FROM charges WHERE id = $1) FOR UPDATE', [
    id,
  ]);

/** Locks a charge in the other transaction. Fails if a transaction has locked it. */
const lockCharge = ({ id }: OpenedCharge) => holder.query('SELECT FROM charges WHERE id = $1 FOR UPDATE NOWAIT', [id]);

/** Does work in a transaction, and undoes it. `onBegin` hears the process of the database. */
async function undone(
  work: (inTransaction: Transaction) => Promise<unknown>,
  onBegin?: (pid: number) => void,
): Promise<void> {
  const { transaction } = await import('../../../src/adapters/postgres/connection.js');
  const { execute } = await import('../../../src/adapters/postgres/statement.js');
  const done = new Error('done');
  const run = transaction(async (inTransaction) => {
    const [backend] = await execute<{ pid: number }>(inTransaction, 'SELECT pg_backend_pid() AS pid');
    if (backend) onBegin?.(backend.pid);
    await work(inTransaction);
    throw done;
  });
  await run.catch((error: unknown) => {
    if (error !== done) throw error;
  });
}

/** The work waits for the subscription of the debit. It has not locked the charge before. */
async function waitsBefore(charge: OpenedCharge, work: (inTransaction: Transaction) => Promise<unknown>) {
  await holdSubscription(debit);
  let isEnded = false;
  let pid = 0;
  const run = undone(work, (begun) => (pid = begun)).finally(() => (isEnded = true));
  await until(async () => isEnded || (await listWaiting(app.pool)).includes(pid));
  expect(isEnded).toBe(false);
  expect((await lockCharge(charge)).rowCount).toBe(1);
  await holder.query('ROLLBACK');
  await run;
}

test.each(['processing', 'requires_action'] as const)(
  'a charge that becomes %s is locked after its subscription',
  async (status) => {
    const { settleCharge } = await import('../../../src/subscriptions/charges/charges.model.js');
    await waitsBefore(debit, (inTransaction) => settleCharge(debit, { status }, inTransaction));
  },
);

test('a decline locks the charges of the credit after all subscriptions of the customer', async () => {
  const { lockCreditSources } = await import('../../../src/subscriptions/refunds/lostCredits.js');
  let found: number[] = [];
  await waitsBefore(credited, async (inTransaction) => (found = await lockCreditSources(debit, inTransaction)));
  expect(found).toEqual([credited.id]);
});

test('a refund that the provider reports locks no subscription after the balance', async () => {
  const { lockBalance } = await import('../../../src/subscriptions/balances/balances.js');
  const { applyRefund } = await import('../../../src/subscriptions/refunds/outcomes.js');
  const { Refund } = await import('../../../src/subscriptions/refunds/refunds.model.js');
  await holdSubscription(debit);
  const [about] = (
    await app.pool.query<{ merchantId: number }>('SELECT merchant_id AS "merchantId" FROM charges WHERE id = $1', [
      credited.id,
    ])
  ).rows;
  const fields = { chargeId: credited.id, accountId: credited.accountId, merchantId: about?.merchantId ?? 0 };
  const amounts = { amountMinor: 1_000, excessMinor: 1_000, currency: 'EUR' };
  const state = { state: 'pending', revokeAccess: false, requestedBy: fields.merchantId } as const;
  await undone(async (inTransaction) => {
    await lockBalance(inTransaction, { ...fields, currency: 'EUR' });
    const refund = await Refund.create(
      { ...fields, ...amounts, ...state, token: 'R-locks' },
      { transaction: inTransaction },
    );
    await applyRefund(refund, 're_locks', new Date(), inTransaction);
  });
});
