import fc from 'fast-check';
import { balanceOf } from '../support/balances';
import { call } from '../support/client';
import { accounts, createDebitShop, payByDebit, subscribeByDebit } from '../support/debits';
import { compare, listDifferences } from '../support/differences';
import { createFee, createItem, type Shop, type SubscriptionRow } from '../support/factories';
import { journalFaults } from '../support/journal';
import { refund } from '../support/payments';
import { control, queryBooks } from '../support/providerBooks';
import { decideDispute, dispute, listenToSandbox, silenceSandbox } from '../support/sandboxDisputes';
import { size } from '../support/size';
import { startApp, type TestApp } from '../support/startApp';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/**
 * Random lives of customers who pay by direct debit. Banks decide days after the submission, while the customer changes plans,
 * cancels, gets refunds and disputes payments. The books agree after each step, and at the end with those of the provider.
 */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  await listenToSandbox(app);
});

afterAll(async () => {
  await silenceSandbox();
  await app.stop();
});

type Step =
  | { do: 'pass'; days: number }
  | { do: 'switch'; to: number }
  | { do: 'cancel'; at: 'now' | 'period_end' }
  | { do: 'refund'; charge: number; amount: string | undefined }
  | { do: 'dispute' | 'win' | 'subscribe' | 'pay'; charge: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), days: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('switch' as const), to: fc.nat({ max: 2 }) }) },
  fc.record({ do: fc.constant('cancel' as const), at: fc.constantFrom('now' as const, 'period_end' as const) }),
  fc.record({
    do: fc.constant('refund' as const),
    charge: fc.nat({ max: 5 }),
    amount: fc.constantFrom('1', undefined),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('dispute' as const, 'win' as const, 'subscribe' as const, 'pay' as const),
      charge: fc.nat({ max: 5 }),
    }),
  },
);

const life = fc.record({
  bank: fc.constantFrom(...(Object.keys(accounts) as (keyof typeof accounts)[])),
  access: fc.constantFrom('at_submission' as const, 'with_payment' as const),
  steps: fc.array(step, { minLength: 5, maxLength: 8 }),
});
type Life = typeof life extends fc.Arbitrary<infer One> ? One : never;

/** The customer of one life. `switched`: the cycles that a plan change has begun, which cost less than a whole period. */
interface Customer {
  shop: Shop;
  token: string;
  fees: number[];
  bank: Life['bank'];
  switched: string[];
  /** An earlier subscription can have left access. */
  hasSubscribedAgain: boolean;
}

const balanceFaults = `
  SELECT 'balance' AS fault, coalesce(m.account_id, b.account_id) AS of FROM
    (SELECT account_id, currency, sum(amount_minor) AS sum FROM balance_movements GROUP BY 1, 2) m
    FULL JOIN customer_balances b USING (account_id, currency)
  WHERE m.sum IS DISTINCT FROM b.balance_minor`;

/** A declined charge has returned what it took, and no charge gives more than it took. */
const chargeFaults = `
  SELECT 'charge ' || c.idempotency_key AS fault, c.account_id AS of FROM charges c LEFT JOIN balance_movements m
    ON m.charge_id = c.id AND m.reason IN ('charge', 'charge_declined')
  GROUP BY c.id HAVING coalesce(sum(m.amount_minor), 0) <> CASE WHEN c.status = 'declined' THEN 0 ELSE -c.balance_minor END
    OR c.refunded_minor + c.credited_minor > c.amount_minor`;

/**
 * While a dispute is open, the customer has not more than what it has paid elsewhere. A bank returns a whole debit, even if a part
 * was refunded before. The customer then has this part twice, which the service cannot prevent.
 */
const moneyFaults = `
  SELECT 'more went out than came in' AS fault, a.id AS of FROM accounts a
  WHERE (SELECT coalesce(sum(amount_minor), 0) FROM charges WHERE account_id = a.id AND status = 'paid') <
    (SELECT coalesce(sum(least(c.amount_minor,
       (SELECT coalesce(sum(r.amount_minor), 0) FROM refunds r WHERE r.charge_id = c.id AND r.state <> 'failed')
       + (SELECT coalesce(sum(d.amount_minor), 0) FROM disputes d WHERE d.charge_id = c.id AND NOT d.is_won))), 0)
     FROM charges c WHERE c.account_id = a.id)
    + (SELECT coalesce(sum(greatest(balance_minor, 0)), 0) FROM customer_balances WHERE account_id = a.id)`;

async function faults(): Promise<unknown[]> {
  const read = [balanceFaults, chargeFaults, moneyFaults].map((text) => app.pool.query<object>(text));
  return [...(await Promise.all(read)).flatMap(({ rows }) => rows), ...(await journalFaults(app.pool))];
}

/**
 * What the worker, the banks and the timers of the merchant's clock have to do by now. Banks decide after 5 days, and are
 * asked daily.
 */
const dueStatement = `
  SELECT idempotency_key AS what, status = 'processing' AS "isWithBank" FROM charges WHERE merchant_id = $1
    AND (status = 'open' OR status = 'processing' AND created_at + interval '6 days 2 hours' <= merchant_now($1))
  UNION ALL SELECT token, false FROM subscriptions WHERE merchant_id = $1
    AND (state IN ('active', 'trialing') AND processing_at IS NULL AND current_period_end + interval '2 hours' <= merchant_now($1)
      OR state = 'past_due' AND processing_at IS NULL AND next_retry_at + interval '2 hours' <= merchant_now($1))
  UNION ALL SELECT token, false FROM subscriptions s WHERE merchant_id = $1 AND state = 'incomplete'
    AND NOT EXISTS (SELECT FROM charges WHERE subscription_id = s.id)
  UNION ALL SELECT token, false FROM payments p WHERE merchant_id = $1 AND state = 'incomplete'
    AND NOT EXISTS (SELECT FROM charges WHERE payment_id = p.id)
  UNION ALL SELECT token, false FROM refunds WHERE merchant_id = $1 AND state IN ('open', 'pending')`;

/** How often a state is read before the clock moves on. */
const looks = 100;

/**
 * Nothing is left to do by the merchant's clock. A bank is asked a day after the service began to wait for it, and the clock can
 * have moved before that. So while only banks are due, one more day passes from time to time.
 */
async function rests({ shop }: Customer): Promise<void> {
  let looked = 0;
  await until(async () => {
    const { rows } = await app.pool.query<{ isWithBank: boolean }>(dueStatement, [shop.merchant.id]);
    if (rows.length === 0) return true;
    looked += 1;
    if (looked % looks === 0 && rows.every(({ isWithBank }) => isWithBank)) await passDays(app, shop.merchant, 1);
    return false;
  });
}

interface PaidCharge {
  trxToken: string;
  reference: string;
  isWhole: boolean;
  dispute: string | null;
}

async function findPaid({ shop }: Customer, index: number): Promise<PaidCharge | undefined> {
  const { rows } = await app.pool.query<PaidCharge>(
    `SELECT trx_token AS "trxToken", c.reference, refunded_minor = 0 AS "isWhole",
       (SELECT d.reference FROM disputes d WHERE d.charge_id = c.id AND NOT is_won LIMIT 1) AS dispute
     FROM charges c WHERE account_id = $1 AND status = 'paid' AND amount_minor > 0 ORDER BY id`,
    [shop.consumer.id],
  );
  return rows[index % Math.max(1, rows.length)];
}

const own = ({ shop, token }: Customer) =>
  call<SubscriptionRow>(app, 'GET', `/subscriptions/${token}`, undefined, shop.consumer).then(({ body }) => body);

const needsMandate =
  'Missing required parameter: The payment_method needs a mandate: create one at POST /v2/payments/direct-debit/mandate first.';

/** Each request may be refused, and is never an error of the service. */
async function take(customer: Customer, each: Step): Promise<void> {
  const { shop, token, fees, bank } = customer;
  const path = `/subscriptions/${token}`;
  if (each.do === 'pass') await passDays(app, shop.merchant, each.days);
  if (each.do === 'switch') {
    const fields = { access_fee_id: fees[each.to], mode: 'now' };
    const { status } = await call(app, 'POST', `${path}/switch`, fields, shop.consumer);
    expect(status).toBeLessThan(500);
    if (status < 300) customer.switched.push(`${token}:%`);
  }
  if (each.do === 'cancel')
    expect((await call(app, 'DELETE', path, { at: each.at }, shop.merchant)).status).toBeLessThan(500);
  if (each.do === 'subscribe') {
    const { status, body } = await subscribeByDebit(app, shop);
    expect(status).toBeLessThan(500);
    if (status === 202) Object.assign(customer, { token: body.subscription_id, hasSubscribedAgain: true });
  }
  if (each.do === 'pay') {
    const item = await createItem(app, shop.merchant);
    const fee = { access_type: 'ppv', quantity: 60, period: 'day', amount: '120' };
    const other = { ...shop, item, fee: await createFee(app, shop.merchant, item.id, fee) };
    const { status, body } = await payByDebit(app, other);
    // A mandate ends when its bank account is closed or its debit is disputed.
    if (status !== 200) expect(body).toMatchObject({ error: 'missing_parameter', message: needsMandate });
  }
  if (each.do === 'refund' || each.do === 'dispute' || each.do === 'win') await takeBack(customer, each, bank);
}

/** A bank that returns debits by itself disputes no debit a second time. */
async function takeBack(customer: Customer, each: Step & { charge: number }, bank: Life['bank']): Promise<void> {
  const charge = await findPaid(customer, each.charge);
  if (!charge) return;
  const { merchant } = customer.shop;
  if (each.do === 'refund') {
    const { status } = await refund(app, merchant, charge.trxToken, each.amount ? { amount: each.amount } : {});
    expect(status).toBeLessThan(500);
  }
  if (bank.startsWith('returned')) return;
  const stateOf = async (reference: string) =>
    (await app.pool.query<{ status: string }>('SELECT status FROM disputes WHERE reference = $1', [reference])).rows[0];
  if (each.do === 'dispute' && charge.isWhole && charge.dispute === null) {
    const reference = await dispute(charge.reference);
    await until(async () => (await stateOf(reference))?.status === 'needs_response');
  }
  if (each.do === 'win' && charge.dispute !== null) {
    const { dispute: reference } = charge;
    await decideDispute(reference, 'won');
    await until(async () => (await stateOf(reference))?.status === 'won');
  }
}

const opening = new Set(['active', 'trialing', 'past_due']);
const closed = new Set(['incomplete', 'incomplete_expired', 'expired', 'revoked']);

/** Access follows the state: a first debit opens it by the setting of the merchant, and one that fails ends it. */
async function accessFollows(customer: Customer): Promise<void> {
  const { item, consumer } = customer.shop;
  await until(async () => {
    const { status: state } = await own(customer);
    const { status } = await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer);
    if (opening.has(state)) return status === 200;
    return closed.has(state) && !customer.hasSubscribedAgain ? status === 402 : true;
  });
}

/** Each period costs the price of its plan, except those that a plan change began. */
async function isPricedRight({ shop, switched }: Customer): Promise<void> {
  const text = `SELECT c.idempotency_key, c.amount_minor + c.balance_minor AS due, round(f.amount_minor) AS price
    FROM charges c JOIN access_fees f ON f.id = c.access_fee_id
    WHERE c.account_id = $1 AND c.status = 'paid' AND c.amount_minor + c.balance_minor <> f.amount_minor
      AND NOT c.idempotency_key LIKE ANY($2)`;
  expect((await app.pool.query(text, [shop.consumer.id, switched])).rows).toEqual([]);
}

/** All banks have decided, money of debits that were given up has gone back, and the provider has the same books. */
async function closeBooks(customer: Customer): Promise<void> {
  const { merchant, consumer } = customer.shop;
  await call(app, 'DELETE', `/subscriptions/${customer.token}`, { at: 'now' }, merchant);
  for (const days of [7, 7, 7]) {
    await passDays(app, merchant, days);
    await rests(customer);
  }
  const { reconcileCharges } = await import('../../src/subscriptions/provider/reconciliation.js');
  await reconcileCharges();
  await rests(customer);
  expect(await faults()).toEqual([]);
  await isPricedRight(customer);
  const ours = `SELECT idempotency_key AS key, amount_minor::int AS amount FROM charges
    WHERE merchant_id = $1 AND amount_minor > 0 AND (status = 'paid' OR returned_at IS NOT NULL) ORDER BY 1`;
  expect((await app.pool.query(ours, [merchant.id])).rows).toEqual(await listProviderCharges(customer));
  await app.pool.query(`UPDATE charges SET known_at = known_at - interval '2 hours'`);
  await control('age', { hours: 2 });
  await compare(app);
  expect(await listDifferences(app, merchant)).toEqual([]);
  expect(await balanceOf(app, consumer.id)).toBeGreaterThanOrEqual(0);
}

/** The paid charges in the books of the provider, by the tokens of the customer's purchases. */
async function listProviderCharges({ shop }: Customer) {
  const tokens = `SELECT token FROM subscriptions WHERE account_id = $1 UNION ALL SELECT token FROM payments WHERE account_id = $1`;
  const { rows: purchases } = await app.pool.query<{ token: string }>(tokens, [shop.consumer.id]);
  const { rows } = await queryBooks<{ key: string; amount: number }>(
    app.pool,
    `SELECT idempotency_key AS key, amount_minor::int AS amount FROM sandbox_charges WHERE status = 'paid' ORDER BY 1`,
  );
  return rows.filter(({ key }) => purchases.some(({ token }) => key === token || key.startsWith(`${token}:`)));
}

const lives = fc.sample(life, { numRuns: size({ usual: 6, full: 100 }), seed: 18 });

const named = lives.map((one) => [JSON.stringify(one), one] as const);

test.each(named)('the books agree in the life %s', async (_name, { bank, access, steps }) => {
  const shop = await createDebitShop(app, accounts[bank], { access, fee: { amount: '100', period: 'year' } });
  const fees = [shop.fee.id];
  for (const amount of ['1', '30'])
    fees.push((await createFee(app, shop.merchant, shop.item.id, { amount, period: 'month' })).id);
  const { body } = await subscribeByDebit(app, shop);
  const customer: Customer = { shop, token: body.subscription_id, fees, bank, switched: [], hasSubscribedAgain: false };
  // The clock moves only after the debit has a time of submission.
  await rests(customer);
  for (const each of steps) {
    await take(customer, each);
    await rests(customer);
    expect(await faults()).toEqual([]);
    await accessFollows(customer);
  }
  await closeBooks(customer);
});
