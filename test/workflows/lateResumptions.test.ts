import { type Caller } from '../../src/kit/auth';
import { type RequestFacts } from '../../src/kit/endpoint';
import { call } from '../support/client';
import { createShop, type Person, reaches, subscribe, type SubscriptionRow } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** A resumption that waits for its run and gets no answer, and a cancellation that is accepted meanwhile. */

let app: TestApp;

beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

interface Subscriber {
  consumer: Person;
  path: string;
  token: string;
}

async function createSubscriber(): Promise<Subscriber> {
  const { consumer, ...shop } = await createShop(app);
  const { body } = await subscribe(app, { consumer, ...shop });
  await reaches(app, consumer, body.subscription_id, 'active');
  return { consumer, path: `/subscriptions/${body.subscription_id}`, token: body.subscription_id };
}

const cancel = ({ path, consumer }: Subscriber) => call(app, 'DELETE', path, {}, consumer);

/** Waits until the subscription is canceled, or renews. */
const becomes = ({ path, consumer }: Subscriber, isCanceled: boolean) =>
  until(async () => {
    const { body } = await call<SubscriptionRow>(app, 'GET', path, undefined, consumer);
    return body.cancel_at_period_end === isCanceled;
  });

async function createCanceled(): Promise<Subscriber> {
  const one = await createSubscriber();
  await cancel(one);
  await becomes(one, true);
  return one;
}

const facts = { requestId: 'late', idempotencyKey: 'late-resumption' } as RequestFacts;

/** Reads the row as a request does. Returns what the request does when it has got no answer. */
async function beginResumption({ token }: Subscriber) {
  const { merchantTime } = await import('../../src/adapters/clock.js');
  const { Subscription } = await import('../../src/subscriptions/subscriptions.model.js');
  const { storeChange } = await import('../../src/subscriptions/changes/requests.js');
  const row = await Subscription.findOne({ where: { token }, rejectOnEmpty: true });
  const time = await merchantTime(row.merchantId);
  const caller = { accountId: row.accountId, merchantId: row.merchantId } as Caller;
  return () => storeChange(caller, row, { kind: 'resume' }, time, facts);
}

/** The kinds of the stored changes, the oldest first. */
async function storedOf({ token }: Subscriber): Promise<string[]> {
  const text = `SELECT r->>'kind' AS kind FROM subscriptions, jsonb_array_elements(requests) r WHERE token = $1`;
  return (await app.pool.query<{ kind: string }>(text, [token])).rows.map(({ kind }) => kind);
}

const explain = 'The subscription was canceled after this request.';
const refusal = { code: 'subscription_state', details: { explain } };

test('409 subscription_state: the cancellation was made', async () => {
  const worker = await app.startWorker();
  const one = await createSubscriber();
  const store = await beginResumption(one);
  await cancel(one);
  await becomes(one, true);
  await worker.stop();
  await expect(store()).rejects.toMatchObject(refusal);
  expect(await storedOf(one)).toEqual([]);
});

test('409 subscription_state: the cancellation was made after another one', async () => {
  const worker = await app.startWorker();
  const one = await createCanceled();
  const store = await beginResumption(one);
  await call(app, 'POST', `${one.path}/resume`, {}, one.consumer);
  await becomes(one, false);
  await cancel(one);
  await becomes(one, true);
  await worker.stop();
  await expect(store()).rejects.toMatchObject(refusal);
});

test('409 subscription_state: the cancellation is stored', async () => {
  const worker = await app.startWorker();
  const one = await createSubscriber();
  await worker.stop();
  const store = await beginResumption(one);
  await cancel(one);
  expect(await storedOf(one)).toEqual(['cancel']);
  await expect(store()).rejects.toMatchObject(refusal);
  expect(await storedOf(one)).toEqual(['cancel']);
});

test('200: the resumption was made before the cancellation, and is not made again', async () => {
  const worker = await app.startWorker();
  const one = await createCanceled();
  const store = await beginResumption(one);
  const caller = { ...one.consumer, headers: { 'Idempotency-Key': facts.idempotencyKey ?? '' } };
  await call(app, 'POST', `${one.path}/resume`, {}, caller);
  await becomes(one, false);
  await cancel(one);
  await becomes(one, true);
  await worker.stop();
  await store();
  expect(await storedOf(one)).toEqual([]);
});

test('202: the resumption takes back the cancellation that its caller has seen, made or stored', async () => {
  const worker = await app.startWorker();
  const made = await createCanceled();
  const renewing = await createSubscriber();
  await worker.stop();
  await (
    await beginResumption(made)
  )();
  expect(await storedOf(made)).toEqual(['resume']);
  await cancel(renewing);
  await (
    await beginResumption(renewing)
  )();
  expect(await storedOf(renewing)).toEqual(['cancel', 'resume']);
});
