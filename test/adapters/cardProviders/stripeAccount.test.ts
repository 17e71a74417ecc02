import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  checkAccount,
  checkNotifications,
  deleteRegistrations,
  registerDomain,
  registerNotifications,
  stripeEvents,
} from '../../../src/adapters/cardProviders/stripeAccount';
import { goCompiler, startStripeMock, type StripeMock } from '../../support/stripeMock';

/** Stripe's own mock answers with fixtures. It proves that Stripe's schema accepts each request. */
const withGo = goCompiler === undefined ? describe.skip : describe;

withGo('requests about an account that the published schema accepts', () => {
  let mock: StripeMock;
  const access = () => ({ apiBase: mock.url, timeoutMs: 10_000 });
  const url = 'https://pay.example.org/payments/stripe/notifications/1';
  beforeAll(async () => (mock = await startStripeMock()));
  afterAll(() => mock.stop());

  // The mock accepts keys that begin with sk_test_ only.
  test('both keys are tested', async () => {
    const { accountId, problems } = await checkAccount(
      { secretKey: 'sk_test_1', publishableKey: 'sk_test_2' },
      access(),
    );
    expect(accountId).toMatch(/^acct_/);
    expect(problems.filter(({ field }) => field !== 'account')).toEqual([]);
  });

  test('notifications are registered, checked and deleted', async () => {
    const registered = await registerNotifications('sk_test_1', url, access());
    expect(registered).toMatchObject({ id: expect.stringMatching(/^we_/) as string });
    // The fixture has another address.
    expect(await checkNotifications('sk_test_1', url, access())).toMatchObject({ field: 'webhook_secret' });
    await deleteRegistrations('sk_test_1', ['we_1'], access());
  });

  test('a wallet domain is registered', async () => {
    const problem = await registerDomain('sk_test_1', 'pay.example.org', access());
    expect(problem === undefined || problem.message.startsWith('Apple Pay is not active')).toBe(true);
  });
});

test('the events that an operator adds by hand are those that the service registers', () => {
  const text = readFileSync(path.join(__dirname, '../../../docs/stripe.md'), 'utf8');
  const named = [
    ...text.matchAll(/`((?:payment_intent|setup_intent|payment_method|charge|refund|radar|mandate)\.[\w.]+)`/g),
  ].map(([, event]) => event);
  expect(named.sort()).toEqual([...stripeEvents].sort());
});
