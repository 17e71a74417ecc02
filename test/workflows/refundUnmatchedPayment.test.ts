import { markRestored, reconcileCharges, takeBackup, type Backup } from '../support/backups';
import { call } from '../support/client';
import { createConsumer, type Person, reaches, subscribe } from '../support/factories';
import { startStripeScenarios, type SubscriptionScenario, type StripeScenarios } from '../support/scenarios';
import { tokenOfCharge } from '../support/ledger';
import { listUnmatched, refund, refunded, type UnmatchedPayment } from '../support/payments';
import { type StripeServer } from '../support/stripeServer';
import { catchesUp } from '../support/testClock';

/** Payments and refunds that only the provider knows after a backup is restored. */

let stripe: StripeServer;
let scenarios: StripeScenarios;

beforeAll(async () => {
  scenarios = await startStripeScenarios();
  ({ stripe } = scenarios);
});
afterAll(() => scenarios.stop());

beforeEach(() => {
  stripe.mend();
  stripe.refunds.length = 0;
});

interface Lost {
  scenario: SubscriptionScenario;
  /** The token of the lost purchase. */
  token: string;
  customer: Person;
  payment: UnmatchedPayment;
}

const list = (merchant: Person) => listUnmatched(scenarios.app, merchant);

const giveBack = (merchant: Person, id: number, key?: string) =>
  call(scenarios.app, 'POST', `/payments/unmatched/${id}/refund`, undefined, {
    token: merchant.token,
    ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
  });

/** Restores the backup a day later and reconciles, as the operator and the hourly schedule do. */
async function restore(backup: Backup): Promise<void> {
  await backup.putBack();
  stripe.forgetKeys();
  await markRestored();
  await reconcileCharges();
}

/** A customer buys after the backup, and the backup is restored. */
async function lose(): Promise<Lost> {
  const scenario = await scenarios.subscribe();
  const customer = await createConsumer(scenarios.app, scenario.shop.merchant);
  const backup = await takeBackup(scenarios.app.pool);
  const { body } = await subscribe(scenarios.app, { ...scenario.shop, consumer: customer });
  await reaches(scenarios.app, customer, body.subscription_id, 'active');
  // Wait until the run has written all that it knows.
  await catchesUp(scenarios.temporal.client, body.subscription_id, { time: '' });
  await restore(backup);
  const [payment] = (await list(scenario.shop.merchant)).collection;
  if (!payment) throw new Error('the payment was not found');
  return { scenario, token: body.subscription_id, customer, payment };
}

test('200: a lost payment is listed for its merchant and refunded once', async () => {
  const { scenario, token, customer, payment } = await lose();
  const { merchant } = scenario.shop;
  expect(payment).toMatchObject({ purchase: token, customer_id: customer.id, amount: 9.99, status: 'open' });
  const key = 'k'.repeat(40);
  const replies = await Promise.all([1, 2, 3].map(() => giveBack(merchant, payment.id, key)));
  expect(replies.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect((await giveBack(merchant, payment.id, key)).status).toBe(200);
  expect((await list(merchant)).collection).toMatchObject([{ status: 'refunded', failure: '' }]);
  expect(stripe.refunds).toMatchObject([{ amount: 999 }]);

  await reconcileCharges();
  expect(stripe.refunds).toHaveLength(1);
  const log = '/audit?action=unmatched_payment.refund';
  const audited = await call<{ total: number }>(scenarios.app, 'GET', log, undefined, merchant);
  expect(audited.body.total).toBe(1);
});

test('404 payment_not_found: another merchant, whose list is empty, and an unknown id', async () => {
  const { scenario, payment } = await lose();
  const other = await scenarios.subscribe();
  expect((await list(other.shop.merchant)).collection).toEqual([]);
  const refused = { status: 404, body: { error: 'payment_not_found' } };
  expect(await giveBack(other.shop.merchant, payment.id)).toMatchObject(refused);
  expect(await giveBack(scenario.shop.merchant, 2_147_483_647)).toMatchObject(refused);
  expect(stripe.refunds).toEqual([]);
});

test('409 nothing_to_refund: a refunded payment', async () => {
  const { scenario, payment } = await lose();
  expect((await giveBack(scenario.shop.merchant, payment.id)).status).toBe(200);
  const again = await giveBack(scenario.shop.merchant, payment.id);
  expect(again).toMatchObject({ status: 409, body: { error: 'nothing_to_refund' } });
  expect(stripe.refunds).toHaveLength(1);
});

test('200: five requests at once without a key make one refund', async () => {
  const { scenario, payment } = await lose();
  const replies = await Promise.all([1, 2, 3, 4, 5].map(() => giveBack(scenario.shop.merchant, payment.id)));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(stripe.refunds).toHaveLength(1);
});

test.each(['lose the answer', '500 after the work', '429', 'refuse before the work'] as const)(
  'refunded: the reconciliation finishes, once, a refund whose provider answers with "%s"',
  async (fault) => {
    const { scenario, payment } = await lose();
    stripe.fail('/v1/refunds', fault, 2);
    expect((await giveBack(scenario.shop.merchant, payment.id)).status).toBe(200);
    expect((await list(scenario.shop.merchant)).collection).toMatchObject([{ status: 'refunding' }]);
    expect((await giveBack(scenario.shop.merchant, payment.id)).body).toMatchObject({ error: 'nothing_to_refund' });
    stripe.mend();
    stripe.forgetKeys();
    await reconcileCharges();
    expect((await list(scenario.shop.merchant)).collection).toMatchObject([{ status: 'refunded' }]);
    expect(stripe.refunds).toHaveLength(1);
  },
);

test('failed: the provider refuses with a reason, and the refund can be repeated', async () => {
  const { scenario, payment } = await lose();
  const { merchant } = scenario.shop;
  stripe.refuse('/v1/refunds', 400, { type: 'invalid_request_error', code: 'charge_disputed', message: 'Disputed.' });
  expect((await giveBack(merchant, payment.id)).status).toBe(200);
  const [refused] = (await list(merchant)).collection;
  expect(refused).toMatchObject({ status: 'failed' });
  expect(refused?.failure).not.toBe('');
  stripe.mend();
  expect((await giveBack(merchant, payment.id)).status).toBe(200);
  expect((await list(merchant)).collection).toMatchObject([{ status: 'refunded', failure: '' }]);
});

test('unmatched: a payment of a merchant that was lost as well is in no list', async () => {
  const backup = await takeBackup(scenarios.app.pool);
  const later = await scenarios.subscribe();
  await catchesUp(scenarios.temporal.client, later.id, { time: '' });
  await restore(backup);
  const text = 'SELECT merchant_id, account_id FROM unmatched_payments WHERE idempotency_key = $1';
  const { rows } = await scenarios.app.pool.query(text, [`${later.id}:1:1`]);
  expect(rows).toEqual([{ merchant_id: null, account_id: null }]);
});

test('409 nothing_to_refund: a lost refund is recorded again, and the payment is not refunded twice', async () => {
  const scenario = await scenarios.subscribe();
  const { merchant } = scenario.shop;
  const token = await tokenOfCharge(scenarios.app, `${scenario.id}:1:1`);
  const backup = await takeBackup(scenarios.app.pool);
  expect((await refund(scenarios.app, merchant, token)).status).toBe(200);
  await refunded(scenarios.app, token);
  await restore(backup);
  expect(await refunded(scenarios.app, token)).toMatchObject([{ amount: 999 }]);
  expect(await refund(scenarios.app, merchant, token)).toMatchObject({ body: { error: 'nothing_to_refund' } });
  await reconcileCharges();
  expect(await refunded(scenarios.app, token)).toHaveLength(1);
  expect(stripe.refunds).toHaveLength(1);
});
