import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { type CardProvider } from '../../../src/adapters/cardProviders/provider';
import { createStripe } from '../../../src/adapters/cardProviders/stripe';
import { toStripeAmount } from '../../../src/adapters/cardProviders/stripeAmounts';
import {
  type ContractCard,
  type ContractFault,
  describeProvider,
  type ProviderUnderTest,
} from '../../support/providerContract';
import { type PlayedBank } from '../../support/reportContract';
import { stripeIbans } from '../../support/stripeDebits';
import { createLinkToken } from '../../support/stripeForm';
import { type Fault, startStripeServer, type StripeServer } from '../../support/stripeServer';

const numbers: Record<ContractCard, string> = {
  accepted: '4242424242424242',
  declined_when_charged: '4000000000000341',
  needs_authentication: '4000000000003220',
  authenticated_once: '4000002500003155',
};

let server: StripeServer;
afterAll(() => server.stop());

async function saveCard(provider: CardProvider, card: ContractCard): Promise<string> {
  const typed = { holderName: 'Ana Petrova', expiryMonth: 12, expiryYear: 2040, securityCode: '123' };
  const { token } = await provider.tokenise({ ...typed, number: numbers[card] }, { accountUuid: randomUUID() });
  return token;
}

/** Stripe's form in the browser creates a payment method that no customer has yet. */
async function createFormToken(): Promise<string> {
  const card = { 'card[number]': numbers.accepted, 'card[exp_month]': '12', 'card[exp_year]': '2040' };
  const body = new URLSearchParams({ type: 'card', ...card });
  const response = await fetch(`${server.url}/v1/payment_methods`, { method: 'POST', body });
  return ((await response.json()) as { id: string }).id;
}

/** The library repeats a request after a broken connection, so the connection breaks twice. */
const brokenBefore = (path: string) => [path, 'refuse before the work', 2] as const;
const silentAfter = (path: string) => [path, '500 after the work', 1] as const;
const faults: Record<ContractFault, readonly [string, Fault, number]> = {
  'charge is limited': ['/v1/payment_intents', '429', 1],
  'charge fails before the work': brokenBefore('/v1/payment_intents'),
  'charge fails after the work': silentAfter('/v1/payment_intents'),
  'refund fails before the work': brokenBefore('/v1/refunds'),
  'refund fails after the work': silentAfter('/v1/refunds'),
};

/** Stripe's events, signed as Stripe signs them. */
function playBank({ books, intents }: StripeServer): PlayedBank {
  const events: string[] = [];
  const tell = (type: string, object: object) => {
    const created = Math.floor(Date.now() / 1000);
    events.push(JSON.stringify({ id: `evt_${randomUUID()}`, object: 'event', type, created, data: { object } }));
    return Promise.resolve();
  };
  const sign = (payload: string, secret: string, secondsAgo = 0) =>
    Stripe.webhooks.generateTestHeaderString({
      payload,
      secret,
      timestamp: Math.floor(Date.now() / 1000) - secondsAgo,
    });
  return {
    async dispute(reference) {
      const intent = intents.get(reference);
      if (!intent) throw new Error(`there is no payment ${reference}`);
      const id = books.dispute(intent);
      await tell('charge.dispute.created', books.disputes.get(id) ?? {});
      return id;
    },
    async decide(id, decision) {
      books.decideDispute(id, decision);
      await tell('charge.dispute.closed', books.disputes.get(id) ?? {});
    },
    warn: (reference) => tell('radar.early_fraud_warning.created', { payment_intent: reference, actionable: true }),
    replaceCard: (token) => {
      const [customer, id] = token.split('/');
      const card = { brand: 'visa', last4: '1111', exp_month: 3, exp_year: 2044, fingerprint: 'fp_new' };
      return tell('payment_method.automatically_updated', { id, object: 'payment_method', customer, card });
    },
    sent: () => Promise.resolve(events.map((body) => ({ body: Buffer.from(body), signature: sign(body, 'whsec_1') }))),
    badSignatures: (body) => [sign(body.toString(), 'whsec_1', 600), sign(body.toString(), 'whsec_2')],
  };
}

describeProvider(
  'Stripe',
  async (): Promise<ProviderUnderTest> => {
    server = await startStripeServer();
    const provider = createStripe({
      secretKey: 'sk_test_1',
      webhookSecret: 'whsec_1',
      returnUrl: 'https://paywall.example/payments/return',
      apiBase: server.url,
      acceptsRawCards: true,
      timeoutMs: 5_000,
    });
    return {
      provider,
      saveCard: (card) => saveCard(provider, card),
      formToken: await createFormToken(),
      answerBank: (reference, answer) => Promise.resolve(server.answerAuthentication(reference, answer === 'approved')),
      createLinkToken: () => createLinkToken(server, `${randomUUID()}@example.org`),
      payByWallet: (reference) => Promise.resolve(server.payByWallet(reference, true)),
      bankAccounts: stripeIbans,
      letBanksDecide: () => server.decideDebits(),
      payOut: (amountMinor, currency) => {
        const moved = { amount: -toStripeAmount(amountMinor, currency), currency: currency.toLowerCase() };
        return Promise.resolve(server.books.move('payout', moved));
      },
      failPayout: (id) => {
        const paid = server.books.more.find(({ source }) => (source as { id: string }).id === id);
        const moved = { id, amount: -Number(paid?.['amount']), currency: String(paid?.['currency']) };
        return Promise.resolve(void server.books.move('payout_reversal', moved));
      },
      bank: playBank(server),
      saveCardBefore: async (fault) => {
        const token = await saveCard(provider, 'accepted');
        server.fail(...faults[fault]);
        return token;
      },
      saveCardBeforeMisconfiguration: async () => {
        const token = await saveCard(provider, 'accepted');
        server.refuse('/v1/payment_intents', 403, {
          type: 'invalid_request_error',
          code: 'account_invalid',
          message: 'No.',
        });
        return token;
      },
    };
  },
  {
    answerBank: true,
    fail: true,
    debit: true,
    redirect: true,
    wallets: true,
    payOut: true,
    report: true,
    exactLimits: true,
  },
);
