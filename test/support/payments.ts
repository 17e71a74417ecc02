import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { type z } from 'zod';
import { type UnmatchedPage } from '../../src/subscriptions/provider/unmatched.schemas';
import { call, listen, type Reply } from './client';
import { cards, createFee, createItem, createShop, purchase, type Person, type Shop } from './factories';
import { type Authentication } from './payer';
import { type TestApp } from './startApp';
import { until } from './until';
import { queryBooks } from './providerBooks';

export interface SubmittedPayment {
  code: number;
  message: string;
  transaction: string;
  status: string;
}

/** Test cards whose charges succeed and whose refunds fail or stay pending. */
export const refundCards = {
  refused: '4000000000005126',
  timeoutAfterRefunding: '4000000000007726',
  timeoutBeforeRefunding: '4000000000000077',
  pendingThenSuccess: '4000000000007734',
  pendingThenRefused: '4000000000007742',
};

/** A merchant with one item at 4.50 EUR for two days, and a consumer. */
export function createPayShop(app: Pick<TestApp, 'address'>, fee: Record<string, unknown> = {}): Promise<Shop> {
  const defaults = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', description: 'Two days' };
  return createShop(app, { ...defaults, ...fee });
}

/** The same item at another price. */
export const withFee = async (app: TestApp, shop: Shop, fee: Record<string, unknown>): Promise<Shop> => ({
  ...shop,
  fee: await createFee(app, shop.merchant, shop.item.id, fee),
});

/** Another item of the merchant with the same terms, for a second purchase of the customer. */
export async function withItem(app: TestApp, shop: Shop, fee: Record<string, unknown> = {}): Promise<Shop> {
  const item = await createItem(app, shop.merchant);
  return withFee(app, { ...shop, item }, { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', ...fee });
}

export function pay(
  app: Pick<TestApp, 'address'>,
  shop: Shop,
  number: string = cards.success,
  fields: Record<string, unknown> = {},
): Promise<Reply<SubmittedPayment>> {
  return call<SubmittedPayment>(app, 'POST', '/payments', { ...purchase(shop, number), ...fields }, shop.consumer);
}

/** Waits until a payment is in a state. */
export function settles(app: Pick<TestApp, 'pool'>, token: string, state: 'paid' | 'failed'): Promise<unknown> {
  return until(async () => {
    const text = 'SELECT 1 FROM payments WHERE token = $1 AND state = $2';
    return (await app.pool.query(text, [token, state])).rows.length > 0;
  });
}

export async function paid(
  app: TestApp,
  shop: Shop,
  number?: string,
  fields?: Record<string, unknown>,
): Promise<string> {
  const { body } = await pay(app, shop, number, fields);
  await settles(app, body.transaction, 'paid');
  return body.transaction;
}

/** Pays with a card that needs an authentication, until the app receives the address of the bank. */
export async function payWithAuthentication(
  app: TestApp,
  shop: Shop,
  fields: Record<string, unknown> = {},
): Promise<Authentication> {
  const channel = await listen(app, shop.consumer);
  const { body } = await pay(app, shop, cards.needsAuthentication, fields);
  const { resource } = await channel.hears('payment.card.requires.action');
  await channel.close();
  const pi = String(resource['pi_id']);
  return {
    id: body.transaction,
    pi,
    redirectTo: String(resource['redirect_to_url']),
    answer: (answer) => call<string>(app, 'POST', `/sandbox/authenticate/${pi}`, { answer }),
  };
}

export function refund(app: TestApp, merchant: Person, trxToken: string, fields: Record<string, unknown> = {}) {
  return call(app, 'POST', `/payments/${trxToken}/refund`, fields, merchant);
}

/** Waits until as many refunds of a charge are in a state. */
export function refunded(app: TestApp, trxToken: string, count = 1, state = 'refunded') {
  const text = `SELECT r.token, r.amount_minor::int AS amount FROM refunds r JOIN charges c ON c.id = r.charge_id
    WHERE c.trx_token = $1 AND r.state = $2 ORDER BY r.id`;
  return until(async () => {
    const { rows } = await app.pool.query<{ token: string; amount: number }>(text, [trxToken, state]);
    return rows.length >= count && rows;
  });
}

type UnmatchedPayments = z.output<typeof UnmatchedPage>;
export type UnmatchedPayment = UnmatchedPayments['collection'][number];

export async function listUnmatched(
  app: Pick<TestApp, 'address'>,
  merchant: Person,
  query = '',
): Promise<UnmatchedPayments> {
  const path = `/payments/unmatched${query}`;
  return (await call<UnmatchedPayments>(app, 'GET', path, undefined, merchant)).body;
}

/** Writes the row that the reconciliation writes for a payment at the provider, which the sandbox does not know. */
export async function addUnmatched(
  app: Pick<TestApp, 'pool'>,
  merchant: Pick<Person, 'id'>,
  { amountMinor, currency = 'EUR', accountId }: { amountMinor: number; currency?: string; accountId?: number },
): Promise<{ id: number; purchase: string }> {
  const purchase = `S-${randomUUID()}`;
  const { rows } = await app.pool.query<{ id: number }>(
    `INSERT INTO unmatched_payments (reference, idempotency_key, amount_minor, currency, paid_at, merchant_id, account_id,
       provider)
     VALUES ($1, $2, $3, $4, to_timestamp(1000), $5, $6, 'sandbox') RETURNING id`,
    [`pi_${purchase}`, `${purchase}:1:1`, amountMinor, currency, merchant.id, accountId],
  );
  return { id: rows[0]?.id ?? 0, purchase };
}

interface PaymentBooks {
  merchant_id: number;
  state: string;
  is_gift: boolean;
  provider_charges: unknown[];
  our_charges: unknown[];
  provider_refunds: unknown[];
  our_refunds: unknown[];
  accesses: number;
  events: string[];
}

const listed = (columns: string, from: string) =>
  `(SELECT coalesce(jsonb_agg(jsonb_build_array(${columns}) ORDER BY jsonb_build_array(${columns})), '[]') FROM ${from})`;

const booksQuery = `
  SELECT p.merchant_id, p.state, p.is_gift,
    ${listed('idempotency_key, reference, amount_minor', `sandbox_charges WHERE status = 'paid' AND idempotency_key LIKE p.token || '%'`)}
      AS provider_charges,
    ${listed('idempotency_key, reference, amount_minor', `charges WHERE status = 'paid' AND amount_minor > 0 AND payment_id = p.id`)}
      AS our_charges,
    ${listed('r.idempotency_key, r.reference, r.amount_minor', `sandbox_refunds r WHERE r.status = 'refunded' AND r.charge_key = p.token`)}
      AS provider_refunds,
    ${listed(
      'r.token, r.reference, r.amount_minor',
      `refunds r JOIN charges c ON c.id = r.charge_id WHERE r.state = 'refunded' AND c.payment_id = p.id`,
    )} AS our_refunds,
    (SELECT count(*)::int FROM accesses WHERE source = 'payment' AND source_id = p.id) AS accesses,
    (SELECT coalesce(array_agg(type ORDER BY sequence), '{}') FROM events
      WHERE merchant_id = p.merchant_id AND dedupe_key LIKE p.token || ':%') AS events
  FROM payments p WHERE p.token = $1`;

/** The faults of a completed payment in all books: the provider's ledger, our charges, access and events. */
export async function findPaymentFaults(pool: Pool, token: string): Promise<string[]> {
  const { rows } = await queryBooks<PaymentBooks>(pool, booksQuery, [token]);
  const [row] = rows;
  if (!row) return ['there is no such payment'];
  const isPaid = row.state === 'paid';
  const given = isPaid && !row.is_gift ? 1 : 0;
  const told = row.events.filter((type) => !type.endsWith('.requires.action'));
  // A payment by PayPal has the events of one in an app store, and iDEAL has events of its own.
  const kinds = ['external.payment', 'payment.ideal'];
  const kind = kinds.find((name) => told.some((type) => type.startsWith(name))) ?? 'payment.card';
  const success = row.is_gift ? [`${kind}.success`] : ['access.granted', `${kind}.success`];
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const faults: [boolean, string][] = [
    [row.state === 'incomplete', 'the payment is not decided'],
    [row.provider_charges.length > (isPaid ? 1 : 0), `the card was charged ${row.provider_charges.length} times`],
    [!same(row.provider_charges, row.our_charges), 'our charges are not the provider’s'],
    [!same(row.provider_refunds, row.our_refunds), 'our refunds are not the provider’s'],
    [row.accesses !== given, `${row.accesses} accesses were given, not ${given}`],
    [!same(told, isPaid ? success : [`${kind}.failed`]), `told: ${told.join(', ')}`],
  ];
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}
