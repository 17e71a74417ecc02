import { call, listen } from '../support/client';
import { cards, createShop, reaches, subscribe, type Shop } from '../support/factories';
import { mailsTo } from '../support/ledger';
import { subscribeWithAuthentication } from '../support/payer';
import { giveTrial } from '../support/scenarios';
import { startApp, type TestApp } from '../support/startApp';
import { passDays } from '../support/testClock';

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

const stateOf = async (shop: Shop, id: string) =>
  (await call<{ status: string }>(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer)).body.status;

describe('a card whose bank asks for an authentication', () => {
  test('202: the trial begins after the payer has authenticated the card, and the first charge needs no payer', async () => {
    const shop = await shopWithTrial();
    const { id, redirectTo, answer } = await subscribeWithAuthentication(app, shop, cards.authenticatedOnce);
    expect(await stateOf(shop, id)).toBe('incomplete');
    const asked = await call(app, 'GET', `/subscriptions/${id}/authentication`, undefined, shop.consumer);
    expect(asked.body).toMatchObject({ redirect_to_url: redirectTo });
    const page = await call<string>(app, 'GET', new URL(redirectTo).pathname);
    expect(page.body).toContain('Card ending in 3155');
    expect((await answer('approved')).status).toBe(200);
    await reaches(app, shop.consumer, id, 'trialing');
    await passDays(app, shop.merchant, 8);
    await reaches(app, shop.consumer, id, 'active');
  });

  test('202: a payer who refuses begins no trial, and can begin it with another card', async () => {
    const shop = await shopWithTrial();
    const { id, answer } = await subscribeWithAuthentication(app, shop, cards.authenticatedOnce);
    const channel = await listen(app, shop.consumer);
    await answer('refused');
    expect((await channel.hears('subscribe.failed')).resource).toMatchObject({
      message: 'Your card could not be authenticated.',
    });
    await channel.close();
    expect(await stateOf(shop, id)).toBe('incomplete_expired');
    const again = await subscribe(app, shop, cards.success);
    await reaches(app, shop.consumer, again.body.subscription_id, 'trialing');
  });

  test('202: another submission replaces one that waits; a late approval of the first begins nothing', async () => {
    const shop = await shopWithTrial();
    const first = await subscribeWithAuthentication(app, shop, cards.authenticatedOnce);
    const second = await subscribe(app, shop, cards.success);
    await reaches(app, shop.consumer, second.body.subscription_id, 'trialing');
    await first.answer('approved');
    expect(await stateOf(shop, first.id)).toBe('incomplete_expired');
  });

  test('202: the client continues with pi_id, also if the answer of the provider was lost', async () => {
    const shop = await shopWithTrial();
    const { id, pi } = await subscribeWithAuthentication(app, shop, cards.authenticatedOnce);
    const { sandbox } = await import('../../src/adapters/cardProviders/index.js');
    await sandbox.answerAuthentication(pi, 'approved');
    const continued = await call(app, 'POST', '/subscriptions', { pi_id: pi }, shop.consumer);
    expect([continued.status, continued.body]).toMatchObject([202, { subscription_id: id }]);
    await reaches(app, shop.consumer, id, 'trialing');
  });

  test('202: nobody who never answers gets the trial, and the trial is free again after a day', async () => {
    const shop = await shopWithTrial();
    const { id } = await subscribeWithAuthentication(app, shop, cards.authenticatedOnce);
    await passDays(app, shop.merchant, 1);
    await reaches(app, shop.consumer, id, 'incomplete_expired');
    const again = await subscribe(app, shop, cards.success);
    await reaches(app, shop.consumer, again.body.subscription_id, 'trialing');
  });
});
