import { cards, createShop, reaches, subscribe, type Shop } from '../support/factories';
import { mailsTo } from '../support/ledger';
import { giveTrial } from '../support/scenarios';
import { startApp, type TestApp } from '../support/startApp';

/** The card's bank verifies the card before a trial begins. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

async function shopWithTrial(): Promise<Shop> {
  const shop = await createShop(app);
  await giveTrial(app, shop.fee.id, [7, 'day']);
  return shop;
}

async function expectNothingBegun({ consumer }: Shop): Promise<void> {
  for (const table of ['subscriptions', 'cards', 'charges', 'accesses']) {
    const { rows } = await app.pool.query(`SELECT 1 FROM ${table} WHERE account_id = $1`, [consumer.id]);
    expect([table, rows]).toEqual([table, []]);
  }
}

test.each([
  [cards.declined, 'Your card was declined.'],
  [cards.insufficientFunds, 'Your card has insufficient funds.'],
  [cards.expired, 'Your card has expired.'],
])('402 payment_failed: a card that its bank refuses begins no trial (%s)', async (number, text) => {
  const shop = await shopWithTrial();
  const { status, body } = await subscribe(app, shop, number);
  const refused = { error: 'payment_failed', explain: text, errors: { payment: text } };
  expect([status, body]).toMatchObject([402, refused]);
  await expectNothingBegun(shop);
  // Another card can still get the trial.
  const again = await subscribe(app, shop, cards.success);
  await reaches(app, shop.consumer, again.body.subscription_id, 'trialing');
});

test('402 provider_misconfigured: no trial begins while the provider’s settings do not allow a verification', async () => {
  const shop = await shopWithTrial();
  expect(await subscribe(app, shop, cards.misconfigured)).toMatchObject({
    status: 402,
    body: { error: 'provider_misconfigured' },
  });
  expect((await mailsTo(app, shop.merchant.id)).filter((name) => name === 'charges_refused')).toHaveLength(1);
  await expectNothingBegun(shop);
});

test('503 service_unavailable: no trial begins while the provider does not answer', async () => {
  const shop = await shopWithTrial();
  const { status, body, headers } = await subscribe(app, shop, cards.unavailable);
  expect([status, body]).toMatchObject([503, { explain: 'Payment provider unavailable' }]);
  expect(headers.get('retry-after')).toBe('5');
  await expectNothingBegun(shop);
});

test('202: a card that requires an authentication begins its trial, and asks for it at the first charge', async () => {
  const shop = await shopWithTrial();
  const { body } = await subscribe(app, shop, cards.needsAuthentication);
  await reaches(app, shop.consumer, body.subscription_id, 'trialing');
});
