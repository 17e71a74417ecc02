import { call } from '../../support/client';
import { listDisputes, type Dispute } from '../../support/disputes';
import { cards, createShop, reaches, subscribe, type Person, type Shop } from '../../support/factories';
import { mailsTo, takenFor } from '../../support/ledger';
import { beginMove } from '../../support/installations';
import { control } from '../../support/providerBooks';
import { type ErrorBody } from '../../support/raw';
import {
  chargeOf,
  decideDispute,
  deliver,
  dispute,
  listenToSandbox,
  silenceSandbox,
  storedNotifications,
} from '../../support/sandboxDisputes';
import { startApp, type TestApp } from '../../support/startApp';
import { failToRenew, passDays } from '../../support/testClock';
import { until } from '../../support/until';

/** What the sandbox reports by itself: the service follows it as it follows a real provider. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

beforeEach(() => listenToSandbox(app));

async function subscribed(number: string = cards.success) {
  const shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop, number)).body;
  await reaches(app, shop.consumer, id, 'active');
  return { shop, id, ...(await chargeOf(app, id)) };
}

const statusOf = (disputeReference: string, merchant: Person) =>
  until(async () =>
    (await listDisputes(app, merchant)).collection.find(({ reference }) => reference === disputeReference),
  );

async function submit(disputed: Pick<Dispute, 'id'>, { merchant }: Pick<Shop, 'merchant'>, statement: string) {
  return call<Dispute & ErrorBody>(app, 'POST', `/payments/disputes/${disputed.id}/evidence`, { statement }, merchant);
}

/** The ids of the notifications about a dispute, oldest first. */
const idsAbout = async (reference: string) =>
  (await storedNotifications()).filter(({ body }) => body.includes(reference)).map(({ id }) => id);

test('200: the bank takes a payment back, the evidence is submitted, and a won dispute restores the access', async () => {
  const { shop, id, reference } = await subscribed();
  const disputeReference = await dispute(reference, { reason: 'product_not_received' });
  await reaches(app, shop.consumer, id, 'revoked');
  const row = await statusOf(disputeReference, shop.merchant);
  const terms = { amount: 9.99, fee: 15, currency: 'EUR', reason: 'product_not_received', status: 'needs_response' };
  expect(row).toMatchObject(terms);
  expect(row.due_at).toBeGreaterThan(Date.now() / 1000);
  expect((await submit(row, shop, 'They watched it: winning_evidence')).status).toBe(200);
  await reaches(app, shop.consumer, id, 'active');
  expect(await statusOf(disputeReference, shop.merchant)).toMatchObject({ status: 'won' });
  expect((await submit(row, shop, 'Again.')).body.error).toBe('dispute_closed');
});

test('200: a lost dispute ends the subscription for good', async () => {
  const { shop, id, reference } = await subscribed();
  const disputeReference = await dispute(reference);
  const row = await statusOf(disputeReference, shop.merchant);
  expect((await submit(row, shop, 'losing_evidence')).status).toBe(200);
  await until(async () => (await statusOf(disputeReference, shop.merchant)).status === 'lost');
  await reaches(app, shop.consumer, id, 'revoked');
});

test.each([
  ['repeated', [0, 0, 1, 1, 0]],
  ['in the wrong order', [1, 0]],
  ['only the last one', [1]],
])('200: notifications %s: what the bank said last counts', async (_how, order) => {
  const { shop, id, reference } = await subscribed();
  await silenceSandbox();
  const disputeReference = await dispute(reference);
  await decideDispute(disputeReference, 'won');
  const ids = await idsAbout(disputeReference);
  await listenToSandbox(app);
  const statuses = await deliver(order.map((index) => ids[index] ?? ''));
  expect(statuses).toEqual(order.map(() => 200));
  expect(await statusOf(disputeReference, shop.merchant)).toMatchObject({ status: 'won' });
  await reaches(app, shop.consumer, id, 'active');
});

test('200: a warning of fraud refunds the payment, if the merchant wants it', async () => {
  const { shop, id, reference } = await subscribed();
  await call(app, 'PUT', '/accounts/settings', { refund_fraud_warnings: 'true' }, shop.merchant);
  await control('fraud-warnings', { reference });
  await reaches(app, shop.consumer, id, 'revoked');
});

test('200: the bank replaces a card, and the overdue subscription is charged again', async () => {
  const { shop, id, card } = await subscribed(cards.declinedAtRenewal);
  await failToRenew(app, shop, id);
  await control('card-updates', { token: card, number: '4111111111111111', expiryMonth: 3, expiryYear: 2044 });
  await reaches(app, shop.consumer, id, 'active');
  const { body } = await call<{ cards: Record<string, object> }>(
    app,
    'GET',
    '/v2/payments/cards/default',
    undefined,
    shop.consumer,
  );
  expect(body.cards['EUR']).toMatchObject({ number: 1111, exp_month: '03', exp_year: '2044' });
});

test('400 invalid_signature: forged, changed on its way, of another account, or too old', async () => {
  const { shop, reference } = await subscribed();
  await silenceSandbox();
  await dispute(reference);
  const { body, signature } = (await storedNotifications()).at(-1) ?? { body: '', signature: '' };
  const send = async (sent: string, header: string) => {
    const headers = { 'Content-Type': 'application/json', 'Sandbox-Signature': header };
    const answer = await fetch(`${app.address}/payments/sandbox/notifications`, {
      method: 'POST',
      headers,
      body: sent,
    });
    return [answer.status, ((await answer.json()) as ErrorBody).error];
  };
  const refused = [400, 'invalid_signature'];
  expect(await send(body, '')).toEqual(refused);
  expect(await send(body.replace('fraudulent', 'duplicate'), signature)).toEqual(refused);
  expect(await send(body, signature.replace(/t=\d+/, `t=${Math.floor(Date.now() / 1000) - 400}`))).toEqual(refused);
  expect(await send(body, `${signature.slice(0, -1)}${signature.endsWith('0') ? '1' : '0'}`)).toEqual(refused);
  expect((await listDisputes(app, shop.merchant)).total).toBe(0);
  expect((await send(body, signature))[0]).toBe(200);
  expect((await listDisputes(app, shop.merchant)).total).toBe(1);
});

test('200: the sandbox sends a notification again until it is received', async () => {
  const { shop, reference } = await subscribed();
  await control('notification-address', { url: `${app.address}/nothing` });
  const disputeReference = await dispute(reference);
  await listenToSandbox(app);
  expect(await statusOf(disputeReference, shop.merchant)).toMatchObject({ status: 'needs_response' });
});

test('503 service_unavailable: a merchant moves to another installation, and nothing is kept', async () => {
  const { shop, id, reference } = await subscribed();
  await silenceSandbox();
  const ids = await idsAbout(await dispute(reference));
  await listenToSandbox(app);
  const stay = await beginMove(app, shop.merchant);
  expect(await deliver(ids)).toEqual([503]);
  await stay();
  expect(await deliver(ids)).toEqual([200]);
  await reaches(app, shop.consumer, id, 'revoked');
});

describe('a restricted account', () => {
  afterEach(() => control('restrictions', { isRestricted: false }));

  test('200: nothing is sold, and renewals wait until the account works again', async () => {
    const { shop, id } = await subscribed();
    await control('restrictions', { isRestricted: true });
    const refused = await createShop(app);
    const { body } = await subscribe(app, refused);
    await reaches(app, refused.consumer, body.subscription_id, 'incomplete_expired');
    const { current_period_end: endsAt } = await reaches(app, shop.consumer, id, 'active');
    await passDays(app, shop.merchant, (endsAt - Date.now() / 1000) / 86_400 + 1);
    await until(async () => (await mailsTo(app, shop.merchant.id)).includes('charges_refused'));
    expect(await takenFor(app, id)).toHaveLength(1);
    await control('restrictions', { isRestricted: false });
    await passDays(app, shop.merchant, 0.1);
    await until(async () => (await takenFor(app, id)).length === 2);
    // The provider has the money before the subscription has its next period.
    await until(async () => (await reaches(app, shop.consumer, id, 'active')).current_period_start === endsAt);
  });
});
