import { purchase, type Person } from '../factories';
import { call } from '../client';
import { accounts, createMandate } from '../debits';
import { type SubmittedPayment } from '../payments';
import { customerFor, cloneConsumer, type World } from '../world';
import { type Example, type Examples } from './example';
import { nameSeller } from '../tax';
import { withPayItem } from './payItems';
import { enableMethods, paypalPurchase } from './paypal';

const enableDebits = (world: World) => enableMethods(world, 'direct_debit');

async function submitPayment(world: World, caller: Person, number?: string): Promise<{ id: number; token: string }> {
  const body = purchase(await withPayItem(world), number);
  const { body: submitted } = await call<SubmittedPayment>(world.app, 'POST', '/payments', body, caller);
  const text = 'SELECT id, token FROM payments WHERE token = $1';
  const { rows } = await world.app.pool.query<{ id: number; token: string }>(text, [submitted.transaction]);
  if (!rows[0]) throw new Error('The payment was not submitted');
  return rows[0];
}

/** The token of a completed payment of the caller. No worker runs, so the test calls the steps. */
async function completePayment(world: World, caller: Person): Promise<string> {
  const { id, token } = await submitPayment(world, caller);
  const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
  const lifecycle = await import('../../../src/subscriptions/payments/paymentSteps.js');
  await chargeCycle({ paymentId: id });
  await lifecycle.completePayment(id);
  return token;
}

/** Every merchant counts from one, so a number of another merchant would be a number of the caller’s merchant too. */
async function countFromOwnNumber({ app, merchant }: World): Promise<void> {
  const text = `INSERT INTO invoice_sequences (merchant_id, is_test, year, last_number)
    SELECT $1::int, true, extract(year FROM now())::int, $1::int * 1000 ON CONFLICT DO NOTHING`;
  await app.pool.query(text, [merchant.id]);
}

async function numberOf({ app }: World, token: string): Promise<string> {
  const text = `SELECT number FROM invoices v JOIN charges c ON c.id = v.charge_id WHERE c.trx_token = $1`;
  const { rows } = await app.pool.query<{ number: string }>(text, [token]);
  return rows[0]?.number ?? '';
}

/** A payment that only the provider knows, as after a restored backup. */
async function losePurchase(world: World, caller: Person): Promise<number> {
  const token = await completePayment(world, caller);
  const { rows } = await world.app.pool.query<{ id: number }>(
    `INSERT INTO unmatched_payments (reference, idempotency_key, amount_minor, currency, paid_at, merchant_id, account_id,
       provider)
     SELECT c.reference, c.idempotency_key, c.amount_minor, c.currency, now(), c.merchant_id, c.account_id, 'sandbox'
     FROM charges c JOIN payments p ON p.id = c.payment_id WHERE p.token = $1 RETURNING id`,
    [token],
  );
  return rows[0]?.id ?? 0;
}

/** A payment that the bank of the caller's customer has taken back. */
async function loseToBank(world: World): Promise<number> {
  const token = await completePayment(world, await cloneConsumer(world));
  const { rows } = await world.app.pool.query<{ id: number }>(
    `INSERT INTO disputes (provider, reference, charge_id, is_won, told_at)
     SELECT 'sandbox', 'dp-' || c.id, c.id, false, now() FROM charges c JOIN payments p ON p.id = c.payment_id
     WHERE p.token = $1 RETURNING id`,
    [token],
  );
  return rows[0]?.id ?? 0;
}

/** A payment that the provider does not have. */
async function addDifference(world: World): Promise<number> {
  const token = await completePayment(world, await cloneConsumer(world));
  const { rows } = await world.app.pool.query<{ id: number }>(
    `INSERT INTO balance_differences (merchant_id, provider, kind, reference, charge_reference, charge_id, provider_minor,
       ledger_minor, currency, happened_at)
     SELECT c.merchant_id, 'sandbox', 'payment_not_found', c.reference, c.reference, c.id, 0, c.amount_minor, c.currency, now()
     FROM charges c JOIN payments p ON p.id = c.payment_id WHERE p.token = $1 RETURNING id`,
    [token],
  );
  return rows[0]?.id ?? 0;
}

/** A payment of the caller that waits for an authentication. */
async function awaitPaymentAuthentication(world: World, caller: Person): Promise<string> {
  const { id } = await submitPayment(world, caller, '4000000000003220');
  const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
  await chargeCycle({ paymentId: id });
  const text = 'SELECT reference FROM charges WHERE payment_id = $1';
  const { rows } = await world.app.pool.query<{ reference: string }>(text, [id]);
  return rows[0]?.reference ?? '';
}

const unowned = {
  'body.branding_id': 'whatever names no brand means the default one',
  'body.payment_token': 'of the card provider’s form, and nobody’s until it is sent here',
};

const submissions: readonly Example[] = [
  {
    request: async (world) => ({
      body: { ...purchase(await withPayItem(world)), is_gift: true, receiver_email: 'friend@example.org' },
    }),
    owned: { 'body.access_fee': 'merchant' },
    roomy: ['branding_id'],
    unowned,
  },
  {
    request: async (world) => {
      const { access_fee, ...card } = purchase(await withPayItem(world));
      return { body: { access_fee_id: access_fee, ...card } };
    },
    owned: { 'body.access_fee_id': 'merchant' },
    roomy: ['branding_id'],
  },
  {
    request: async (world, caller) => ({ body: { pi_id: await awaitPaymentAuthentication(world, caller) } }),
    owned: { 'body.pi_id': 'account' },
    roomy: ['branding_id'],
  },
];

const listing: Example = {
  request: ({ consumer, item }) => {
    const range = { startDate: '2026-01-01', endDate: '2040-01-01', amount_from: '1', amount_to: '50' };
    return { query: { page: 0, size: 5, type: 'charge', account_id: consumer.id, item_id: item.id, ...range } };
  },
  owned: { 'query.account_id': 'account', 'query.item_id': 'merchant' },
};

/** An invoice of the caller, or of a new customer for a merchant and its staff. */
async function invoiceOf(world: World, caller: Person) {
  await nameSeller(world.app, world);
  await countFromOwnNumber(world);
  const token = await completePayment(world, await customerFor(world, caller));
  return { params: { number: await numberOf(world, token) } };
}

export const paymentExamples: Examples = {
  createPayment: submissions,
  createPaymentV2: submissions,
  refundPayment: {
    request: async (world) => ({
      params: { trx_token: await completePayment(world, await cloneConsumer(world)) },
      body: { amount: '1.50', revoke_access: true },
    }),
    owned: { 'params.trx_token': 'merchant' },
  },
  listUnmatchedPayments: { request: () => ({ query: { page: 1, size: 5 } }) },
  refundUnmatchedPayment: {
    request: async (world) => ({ params: { id: await losePurchase(world, await cloneConsumer(world)) } }),
    owned: { 'params.id': 'merchant' },
  },
  listBalanceTransactions: { request: () => ({ query: { page: 1, size: 5 } }) },
  listDifferences: { request: () => ({ query: { page: 1, size: 5, status: 'open' } }) },
  getDifference: {
    request: async (world) => ({ params: { id: await addDifference(world) } }),
    owned: { 'params.id': 'merchant' },
  },
  resolveDifference: {
    request: async (world) => ({
      params: { id: await addDifference(world) },
      body: { action: 'accept', note: 'The bank has explained it.' },
    }),
    owned: { 'params.id': 'merchant' },
    roomy: ['note'],
  },
  listDisputes: { request: () => ({ query: { page: 1, size: 5 } }) },
  getDispute: {
    request: async (world) => ({ params: { id: await loseToBank(world) } }),
    owned: { 'params.id': 'merchant' },
  },
  // The sandbox has no bank that reads evidence.
  submitDisputeEvidence: {
    request: async (world) => ({ params: { id: await loseToBank(world) }, body: { statement: 'They watched it.' } }),
    owned: { 'params.id': 'merchant' },
    roomy: ['statement'],
    answers: 409,
  },
  listDefaultCards: { request: () => ({}) },
  setDefaultCard: {
    request: (world) => {
      const { number, card_name, exp_month, exp_year, cvv } = purchase(world);
      return { body: { number, card_name, exp_month, exp_year, cvv, currency_iso: 'EUR' } };
    },
    unowned: { 'body.payment_token': unowned['body.payment_token'] },
  },
  createExternalPayment: {
    request: (world) => paypalPurchase(world),
    owned: { 'body.access_fee': 'merchant' },
    roomy: ['branding_id'],
    unowned: { 'body.branding_id': unowned['body.branding_id'] },
  },
  getMandate: {
    request: async (world, caller) => {
      await enableDebits(world);
      await createMandate(world.app, { consumer: caller }, accounts.paid);
      return {};
    },
  },
  createMandate: {
    request: async (world) => {
      await enableDebits(world);
      return { body: { name: 'Ana Petrova', iban: accounts.paid, address: 'Lindenweg 1, Berlin' } };
    },
  },
  createDonationPayment: { request: () => ({}), answers: 422 },
  confirmDonationPayment: { request: () => ({}), answers: 422 },
  listPaymentMethods: [
    { request: () => ({}) },
    {
      request: (world) => ({ query: { item_id: world.item.id, access_fee_id: world.fee.id, currency: 'eur' } }),
      owned: { 'query.item_id': 'merchant', 'query.access_fee_id': 'merchant' },
    },
  ],
  listPaymentTools: {
    request: () => ({ params: { id: 1 } }),
    unowned: { 'params.id': 'a payment method: the same for all' },
  },
  listOwnBalances: { request: () => ({}) },
  listPaymentHistory: { request: () => ({ query: { page: 1, limit: 5 } }) },
  listTransactions: listing,
  reportTransactions: listing,
  getReceipt: {
    request: async (world, caller) => {
      const customer = await customerFor(world, caller);
      return { params: { trx_token: await completePayment(world, customer) } };
    },
    owned: { 'params.trx_token': 'account' },
  },
  resendReceipt: {
    request: async (world, caller) => {
      const customer = await customerFor(world, caller);
      return { params: { trx_token: await completePayment(world, customer) } };
    },
    owned: { 'params.trx_token': 'merchant' },
  },
  listOwnInvoices: { request: () => ({ query: { page: 1, limit: 5, kind: 'invoice' } }) },
  listInvoices: { request: () => ({ query: { page: 1, limit: 5, search: '2026-0', kind: 'invoice' } }) },
  listUnprovedSales: { request: () => ({ query: { page: 1, limit: 5 } }) },
  getTaxReport: { request: () => ({ query: { year: 2026, quarter: 1 } }) },
  getOssReturn: { request: () => ({ query: { year: 2026, quarter: 1 } }) },
  getInvoice: { request: invoiceOf, owned: { 'params.number': 'account' } },
  getInvoiceDocument: { request: invoiceOf, owned: { 'params.number': 'account' } },
};
