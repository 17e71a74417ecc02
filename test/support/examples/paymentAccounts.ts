import { randomUUID } from 'node:crypto';
import { createAccount, type AccountsApp } from '../paymentAccounts';
import { startStripeServer, type StripeServer } from '../stripeServer';
import { type World } from '../world';
import { type Example, type Examples } from './example';

let starting: Promise<StripeServer> | undefined;

/** A simulated Stripe, which the product asks from now on. It ends with the process. */
function openStripe(): Promise<StripeServer> {
  starting ??= startStripeServer().then(async (stripe) => {
    stripe.unref();
    const { config } = await import('../../../src/config.js');
    Object.assign(config, { STRIPE_API_BASE: stripe.url });
    return stripe;
  });
  return starting;
}

async function appWithStripe({ app }: World): Promise<AccountsApp> {
  return { ...app, stripe: await openStripe() };
}

/** The merchants of the examples pay in the sandbox, so they have no account of their own. */
const notConnected: Example = { request: () => ({}), answers: 404 };

export const paymentAccountExamples: Examples = {
  getPaymentProvider: { request: () => ({}) },
  setPaymentProvider: {
    request: async (world) => {
      const { secretKey, publishableKey } = createAccount(await appWithStripe(world));
      return { body: { secret_key: secretKey, publishable_key: publishableKey } };
    },
    spends: true,
  },
  /** The installation of the examples has no platform. */
  connectPaymentProvider: notConnected,
  testPaymentProvider: notConnected,
  deletePaymentProvider: notConnected,
  receiveConnectNotification: { request: () => ({}), answers: 404 },
  receiveAccountNotification: {
    request: () => ({ params: { account_uuid: randomUUID() } }),
    unowned: { 'params.account_uuid': 'the signature shows that the account has sent it' },
    answers: 404,
  },
};
