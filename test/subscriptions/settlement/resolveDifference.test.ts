import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { addMissingPayment, compare, listDifferences, resolve, subscribeLongAgo } from '../../support/differences';
import { reaches } from '../../support/factories';
import { enterConsole } from '../../support/pageWalker';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const missingPayment = () => addMissingPayment(app);

const chargesOf = async (id: string) => {
  const text = `SELECT cycle, status, reference FROM charges WHERE idempotency_key LIKE $1 ORDER BY id`;
  return (await app.pool.query<object>(text, [`${id}%`])).rows;
};

test('200: record adds a payment that only the provider has', async () => {
  const { shop, id, paymentId, difference } = await missingPayment();
  const { status, body } = await resolve(app, shop.merchant, difference?.id, { action: 'record' });
  expect([status, body]).toMatchObject([200, { status: 'resolved', resolution: 'recorded', actions: [] }]);
  expect(await chargesOf(id)).toContainEqual({ cycle: 2, status: 'paid', reference: paymentId });
  await compare(app);
  expect(await listDifferences(app, shop.merchant, '?status=open')).toEqual([]);
});

test('200: refund gives the payment back once, also when two requests arrive at once', async () => {
  const { shop, account, paymentId, difference } = await missingPayment();
  const requests = [1, 2].map(() => resolve(app, shop.merchant, difference?.id, { action: 'refund' }));
  const statuses = (await Promise.all(requests)).map(({ status }) => status).sort();
  expect(statuses[0]).toBe(200);
  expect(account.refunds.filter(({ payment_intent: of }) => of === paymentId)).toMatchObject([{ amount: 999 }]);
  expect(await listDifferences(app, shop.merchant)).toMatchObject([{ resolution: 'refunded' }]);
});

test('200: record takes over a refund that only the provider has, and one that came back', async () => {
  const { shop, account, intent } = await subscribeLongAgo(app);
  const made: Record<string, unknown> = {
    ...{ id: `re_${randomUUID()}`, object: 'refund', status: 'succeeded', payment_intent: intent.id, amount: 100 },
    ...{ currency: 'eur', metadata: {}, created: Math.floor(Date.now() / 1000) },
  };
  account.refunds.push(made);
  await compare(app);
  const [missing] = await listDifferences(app, shop.merchant);
  expect(missing).toMatchObject({ kind: 'refund_missing', provider_amount: 1, actions: ['record', 'accept'] });
  expect((await resolve(app, shop.merchant, missing?.id, { action: 'record' })).status).toBe(200);
  const refunds = async () => {
    const text = 'SELECT r.state FROM refunds r JOIN charges c ON c.id = r.charge_id WHERE c.reference = $1';
    return (await app.pool.query<object>(text, [intent.id])).rows;
  };
  expect(await refunds()).toEqual([{ state: 'refunded' }]);
  Object.assign(made, { status: 'failed', failure_reason: 'lost_or_stolen_card' });
  await compare(app);
  const [back] = await listDifferences(app, shop.merchant, '?status=open');
  expect(back).toMatchObject({ kind: 'refund_failed', provider_amount: 0, ledger_amount: 1 });
  expect((await resolve(app, shop.merchant, back?.id, { action: 'record' })).status).toBe(200);
  expect(await refunds()).toEqual([{ state: 'failed' }]);
});

test('200: record takes over a dispute whose notification was lost, and its access ends', async () => {
  const { shop, account, intent, id } = await subscribeLongAgo(app);
  const dispute = account.books.dispute(intent);
  await compare(app);
  const [difference] = await listDifferences(app, shop.merchant);
  expect(difference).toMatchObject({ kind: 'dispute_differs', reference: dispute, provider_amount: 9.99 });
  expect((await resolve(app, shop.merchant, difference?.id, { action: 'record' })).status).toBe(200);
  await reaches(app, shop.consumer, id, 'revoked');
  const { body } = await call<{ collection: object[] }>(app, 'GET', '/payments/disputes', undefined, shop.merchant);
  expect(body.collection).toMatchObject([{ reference: dispute, fee: 15 }]);
});

test('200: accept needs a note, and a later comparison does not ask again', async () => {
  const { shop, intent } = await subscribeLongAgo(app);
  intent.amount = 899;
  await compare(app);
  const [difference] = await listDifferences(app, shop.merchant);
  const refused = await resolve(app, shop.merchant, difference?.id, { action: 'accept' });
  expect(refused).toMatchObject({ status: 422, body: { errors: { note: expect.any(String) as string } } });
  const note = 'A discount in the dashboard.';
  expect(await resolve(app, shop.merchant, difference?.id, { action: 'accept', note })).toMatchObject({
    status: 200,
    body: { resolution: 'accepted', note },
  });
  await compare(app);
  expect(await listDifferences(app, shop.merchant, '?status=open')).toEqual([]);
});

test('409 difference_closed: it is resolved, or the action does not apply to it', async () => {
  const { shop, intent } = await subscribeLongAgo(app);
  intent.amount = 899;
  await compare(app);
  const [difference] = await listDifferences(app, shop.merchant);
  const closed = { status: 409, body: { error: 'difference_closed' } };
  expect(await resolve(app, shop.merchant, difference?.id, { action: 'refund' })).toMatchObject(closed);
  await resolve(app, shop.merchant, difference?.id, { action: 'accept', note: 'It is right.' });
  expect(await resolve(app, shop.merchant, difference?.id, { action: 'accept', note: 'Again.' })).toMatchObject(closed);
});

test('404 difference_not_found: it belongs to another merchant', async () => {
  const [own, other] = [await missingPayment(), await subscribeLongAgo(app)];
  const answer = await resolve(app, other.shop.merchant, own.difference?.id, { action: 'record' });
  expect(answer).toMatchObject({ status: 404, body: { error: 'difference_not_found' } });
});

test('422 invalid_input: the action is not known', async () => {
  const { shop, difference } = await missingPayment();
  expect((await resolve(app, shop.merchant, difference?.id, { action: 'forget' })).status).toBe(422);
});

test('503 service_unavailable: the provider does not answer, and a repetition refunds once', async () => {
  const { shop, account, paymentId, difference } = await missingPayment();
  app.stripe.fail('/v1/refunds', 'hang', 2);
  const answer = await resolve(app, shop.merchant, difference?.id, { action: 'refund' });
  expect(answer).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  app.stripe.mend();
  expect((await resolve(app, shop.merchant, difference?.id, { action: 'refund' })).status).toBe(200);
  expect(account.refunds.filter(({ payment_intent: of }) => of === paymentId)).toHaveLength(1);
});

test('200: the console names the action that resolves it', async () => {
  const { shop, difference } = await missingPayment();
  const walker = await enterConsole(app, shop.merchant.email);
  const list = (await walker.open('/console/transactions/differences')).text;
  expect(list).toContain('Payment is missing here');
  const place = `/console/transactions/differences/${difference?.id}`;
  const page = (await walker.open(place)).text;
  for (const label of ['Record it', 'Refund it', 'Accept the difference']) expect(page).toContain(label);
  await walker.submit(`${place}/resolution`, { action: 'record' });
  expect((await walker.open(place)).text).toContain('Recorded');
});
