import { type Transaction } from '../../../src/adapters/postgres/connection';
import { createYear } from '../../support/lostCredit';
import { startStripeApp, type StripeApp } from '../../support/stripeNotifications';

/** The disputed money that is still there: what the bank took, and at most what is left of the charge. */

let app: StripeApp;
let chargeId = 0;

/** The charge of 100. */
beforeAll(async () => {
  app = await startStripeApp();
  const { token } = await createYear(app);
  const text = 'SELECT id FROM charges WHERE idempotency_key = $1';
  chargeId = (await app.pool.query<{ id: number }>(text, [`${token}:1:1`])).rows[0]?.id ?? 0;
});
afterAll(() => app.stop());

interface Case {
  refunded?: number;
  amount?: number;
  currency?: string;
}

/** Refunds a part of the charge, lets the bank take an amount, reads the dispute, and undoes all of it. */
async function readDisputed({ refunded = 0, amount = 10_000, currency = 'EUR' }: Case): Promise<number> {
  const { transaction } = await import('../../../src/adapters/postgres/connection.js');
  const { execute } = await import('../../../src/adapters/postgres/statement.js');
  const { readDispute } = await import('../../../src/subscriptions/refunds/lostCredits.model.js');
  const done = new Error('done');
  let disputedMinor = NaN;
  const work = async (inTransaction: Transaction) => {
    await execute(inTransaction, 'UPDATE charges SET refunded_minor = $2 WHERE id = $1', [chargeId, refunded]);
    const [dispute] = await execute<{ id: number }>(
      inTransaction,
      `INSERT INTO disputes (provider, reference, charge_id, is_won, told_at, amount_minor, currency)
       VALUES ('stripe', 'dp_read', $1, false, now(), $2, $3) RETURNING id`,
      [chargeId, amount, currency],
    );
    disputedMinor = (await readDispute(dispute?.id ?? 0, inTransaction)).disputedMinor;
    throw done;
  };
  await transaction(work).catch((error: unknown) => {
    if (error !== done) throw error;
  });
  return disputedMinor;
}

test.each<[string, Case, number]>([
  ['the whole charge', {}, 10_000],
  ['less its refunds', { refunded: 3_000 }, 7_000],
  ['as much as the refunds have left', { refunded: 3_000, amount: 7_000 }, 7_000],
  ['one unit less', { refunded: 3_000, amount: 6_999 }, 6_999],
  ['more than the charge', { amount: 10_001 }, 10_000],
  ['nothing is left', { refunded: 10_000 }, 0],
  ['an amount in another currency is the whole charge', { amount: 1, currency: 'USD' }, 10_000],
  ['less its refunds, in another currency', { amount: 1, currency: 'USD', refunded: 1 }, 9_999],
])('the disputed money: %s', async (_, of, disputedMinor) => {
  expect(await readDisputed(of)).toBe(disputedMinor);
});
