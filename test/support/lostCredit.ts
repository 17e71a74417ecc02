import { balanceOf } from './balances';
import { requestChange } from './client';
import { createFee, createItem, createShop, reaches, type Shop, subscribe } from './factories';
import { journalFaults } from './journal';
import { intentOf, notify, startStripeApp, type StripeApp } from './stripeNotifications';
import { nameSeller } from './tax';

/** Payments whose money goes back while their credit is in use. */

export interface Yearly {
  shop: Shop;
  /** The fee of 1 a month, on the same item. */
  month: number;
  token: string;
}

/**
 * Starts the service for a test file. `onStart` gets it. The journal is correct after each test. Returns a function that reads
 * the balance of a customer.
 */
export function lostCreditScene(onStart: (app: StripeApp) => void) {
  let app: StripeApp;
  beforeAll(async () => onStart((app = await startStripeApp())));
  afterAll(() => app.stop());
  afterEach(async () => expect(await journalFaults(app.pool)).toEqual([]));
  return ({ shop }: Pick<Yearly, 'shop'>) => balanceOf(app, shop.consumer.id);
}

/** A year for 100. */
export async function createYear(app: StripeApp, card?: string, isTaxed = false): Promise<Yearly> {
  const shop = await createShop(app, { amount: '100', period: 'year' });
  if (isTaxed) await nameSeller(app, shop);
  const month = await createFee(app, shop.merchant, shop.item.id, { amount: '1', period: 'month' });
  const token = (await subscribe(app, shop, card)).body.subscription_id;
  await reaches(app, shop.consumer, token, 'active');
  return { shop, month: month.id, token };
}

/** Switches to the month now. */
export const toMonth = (app: StripeApp, { shop, month, token }: Yearly) =>
  requestChange(app, 'POST', `/subscriptions/${token}/switch`, { access_fee_id: month, mode: 'now' }, shop.consumer);

/** Another item of the shop for a price a month, and its fee of 1 a year. */
export async function otherPlan(
  app: StripeApp,
  { shop }: Pick<Yearly, 'shop'>,
  price: Record<string, unknown>,
): Promise<{ other: Shop; cheap: number }> {
  const item = await createItem(app, shop.merchant);
  const fee = await createFee(app, shop.merchant, item.id, { period: 'month', ...price });
  const cheap = await createFee(app, shop.merchant, item.id, { amount: '1', period: 'year' });
  return { other: { ...shop, item, fee }, cheap: cheap.id };
}

/** A subscription of another item for a price a month, and the same with its fee of 1 a year. */
export async function subscribeOther(
  app: StripeApp,
  year: Yearly,
  amount: string,
): Promise<{ token: string; toCheap: Yearly }> {
  const { other, cheap } = await otherPlan(app, year, { amount });
  const token = (await subscribe(app, other)).body.subscription_id;
  await reaches(app, other.consumer, token, 'active');
  return { token, toCheap: { shop: other, month: cheap, token } };
}

/** A year that was changed to a month, with a credit of 99. */
export async function createCredit(app: StripeApp): Promise<Yearly> {
  const year = await createYear(app);
  expect((await toMonth(app, year)).status).toBe(200);
  return year;
}

/** What the running period has paid, and how much of its latest charge counts as unpaid because the credit is lost. */
export async function paidAndLost(app: StripeApp, token: string) {
  const text = `SELECT s.paid_minor::int AS paid, coalesce((SELECT sum(unpaid_minor) FROM credit_losses
      WHERE charge_id = c.id AND part = 'balance'), 0)::int AS lost
    FROM subscriptions s JOIN charges c ON c.subscription_id = s.id WHERE s.token = $1 ORDER BY c.id DESC LIMIT 1`;
  return (await app.pool.query<{ paid: number; lost: number }>(text, [token])).rows[0];
}

/** The id of a subscription with its cycle and its version, from which a step begins. */
export async function rowOf(app: StripeApp, token: string) {
  const text = 'SELECT id AS "subscriptionId", cycle, version FROM subscriptions WHERE token = $1';
  const [row] = (await app.pool.query<{ subscriptionId: number; cycle: number; version: number }>(text, [token])).rows;
  if (!row) throw new Error('There is no subscription');
  return row;
}

/** An amount in cents. Returns the reference of the payment. */
export async function refundInDashboard(app: StripeApp, { token }: Yearly, amount: number): Promise<string> {
  const { id } = await intentOf(app.stripe, token);
  const body = new URLSearchParams({ payment_intent: id, amount: String(amount) });
  expect((await fetch(`${app.stripe.url}/v1/refunds`, { method: 'POST', body })).status).toBe(200);
  expect((await notify(app, { type: 'charge.refunded', object: { id: 'ch_1', payment_intent: id } })).status).toBe(200);
  return id;
}

/** A refund that was made at the provider fails after its success. */
export async function failRefund(app: StripeApp, intent: string): Promise<void> {
  const made = app.stripe.refunds.findLast(({ payment_intent: of }) => of === intent);
  Object.assign(made ?? {}, { status: 'failed', failure_reason: 'expired_or_canceled_card' });
  await notify(app, { type: 'refund.failed', object: { id: 'ch_1', payment_intent: intent } });
}

let seconds = 0;

export interface Reported {
  /** False: the message to the subscription's run is lost. */
  isHeard?: boolean;
  /** What the bank took, in cents. Absent: the whole charge. */
  amountMinor?: number;
  /** Tells two disputes of one charge apart. */
  name?: string;
}

/** The bank reports a dispute. */
export async function report(
  app: StripeApp,
  token: string,
  status: 'needs_response' | 'under_review' | 'lost' | 'won',
  { isHeard = false, amountMinor, name = 'dp' }: Reported = {},
): Promise<void> {
  const { findPurchase } = await import('../../src/subscriptions/charges/charges.model.js');
  const { followDisputeNow } = await import('../../src/subscriptions/provider/providerNotifications.js');
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { execute } = await import('../../src/adapters/postgres/statement.js');
  const purchase = await findPurchase((await intentOf(app.stripe, token)).id);
  if (!purchase) throw new Error('There is no purchase');
  const at = new Date(Date.UTC(2030, 0, 1) + (seconds += 1) * 1000);
  const taken = amountMinor === undefined ? {} : { amountMinor, currency: 'EUR' };
  const dispute = { reference: `${name}-${token}`, status, at, reason: 'fraudulent', ...taken };
  await transaction(async (inTransaction) => {
    const signal = await followDisputeNow(inTransaction, { dispute, purchase, provider: 'stripe' });
    if (!isHeard && signal) await execute(inTransaction, 'DELETE FROM outbox WHERE id = $1', [signal.id]);
  });
}
