import { randomUUID } from 'node:crypto';
import { createStripe } from '../../../src/adapters/cardProviders/stripe';
import { config } from '../../../src/config';
import { type ContractCard, describeProvider } from '../../support/providerContract';

/** `npm run test:stripe` runs the contract against Stripe itself, in the test mode of the account of this key. */
const secretKey = process.env['STRIPE_TEST_KEY'];

/** Stripe's published test payment methods. */
const methods: Record<ContractCard, string> = {
  accepted: 'pm_card_visa',
  declined_when_charged: 'pm_card_chargeCustomerFail',
  needs_authentication: 'pm_card_threeDSecure2Required',
  authenticated_once: 'pm_card_authenticationRequiredOnSetup',
};

if (secretKey === undefined) test.skip('STRIPE_TEST_KEY is not set, so Stripe was not asked', () => undefined);
else if (!/^(sk|rk)_test_/.test(secretKey))
  test('the key is one of the test mode', () => {
    throw new Error('STRIPE_TEST_KEY must begin with sk_test_ or rk_test_. Nothing was sent.');
  });
else
  describeProvider('Stripe in test mode', () => Promise.resolve(live(secretKey)), {
    answerBank: false,
    fail: false,
    debit: false,
    redirect: false,
    wallets: false,
    payOut: false,
    report: false,
    exactLimits: false,
  });

function live(key: string) {
  const provider = createStripe({
    secretKey: key,
    apiBase: config.STRIPE_API_BASE,
    webhookSecret: 'whsec_unused',
    returnUrl: 'https://paywall.example.org/payments/return',
    acceptsRawCards: false,
    timeoutMs: 30_000,
  });
  const saveCard = async (card: ContractCard) => {
    const { token } = await provider.adoptToken(methods[card], { accountUuid: randomUUID() });
    return token;
  };
  return { provider, saveCard, formToken: methods.accepted };
}
