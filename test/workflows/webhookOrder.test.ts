import { createConsumer, createMerchant, type Person } from '../support/factories';
import { call } from '../support/client';
import { type TestApp } from '../support/startApp';
import { until } from '../support/until';
import {
  answering,
  attempted,
  createWebhook,
  eventsOf,
  letPass,
  listDeliveries,
  publishAbout,
  startReceiver,
  startWebhookApp,
  type ReceivedWebhook,
  type Receiver,
} from '../support/webhooks';

/** Events of several accounts for one receiver. Each account keeps its order, and each event has its own attempts. */

let app: TestApp;
let receiver: Receiver;
let merchant: Person;
let ana: Person;
let ben: Person;

beforeAll(async () => (app = await startWebhookApp()));
beforeEach(async () => {
  receiver = await startReceiver();
  merchant = await createMerchant(app);
  [ana, ben] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
});
afterEach(() => receiver.stop());
afterAll(() => app.stop());

const eventOf = ({ body }: ReceivedWebhook) => (JSON.parse(body) as { id: number }).id;
const heard = () => eventsOf(receiver).map(([event]) => event);
const hears = (...events: number[]) => until(() => events.every((event) => heard().includes(event)));
const refusing =
  (status: number, ...events: number[]): Receiver['answer'] =>
  (response, request) =>
    answering(events.includes(eventOf(request)) ? status : 200)(response);

test('pending: an event that the receiver refuses delays only the later events of its account', async () => {
  receiver.answer = refusing(500, 1);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishAbout(merchant, [ana.id, ben.id, ana.id, ben.id]);
  await hears(2, 4);
  await attempted(app, merchant, id, { event: 1, attempts: 1 });
  expect(heard()).not.toContain(3);
  receiver.answer = answering(200);
  await letPass(app, merchant, id, 5);
  await hears(3);
  const [first, third] = [heard().lastIndexOf(1), heard().indexOf(3)];
  expect(first).toBeLessThan(third);
});

test('delivered: ten minutes after the first refusal, the later events of the account', async () => {
  receiver.answer = refusing(500, 1);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishAbout(merchant, [ana.id, ana.id, ana.id]);
  await attempted(app, merchant, id, { event: 1, attempts: 1 });
  await letPass(app, merchant, id, 500);
  await attempted(app, merchant, id, { event: 1, attempts: 2 });
  expect(heard()).not.toContain(2);
  await letPass(app, merchant, id, 101);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 2);
  expect(await listDeliveries(app, merchant, id, 'pending')).toMatchObject([{ event_id: 1 }]);
});

test('delivered: an event without an answer does not delay other accounts', async () => {
  receiver.answer = (response, request) => (eventOf(request) === 1 ? undefined : answering(200)(response));
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  await publishAbout(merchant, [ana.id, ...Array.from({ length: 30 }, () => ben.id)]);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 30);
  await hears(1);
  expect(heard().filter((event) => event === 1)).toHaveLength(1);
});

test('delivered: each of many accounts gets its events once and in order', async () => {
  const accounts = [ana, ben, ...(await Promise.all(Array.from({ length: 8 }, () => createConsumer(app, merchant))))];
  await createWebhook(app, merchant, { url: receiver.url });
  const whose = Array.from({ length: 400 }, (_, index) => accounts[(index * 7) % accounts.length] ?? ana);
  await publishAbout(
    merchant,
    whose.map(({ id }) => id),
  );
  await until(() => receiver.received.length >= 400);
  expect(new Set(heard()).size).toBe(400);
  for (const { id } of accounts) {
    const own = heard().filter((event) => whose[event - 1]?.id === id);
    expect(own).toEqual([...own].sort((a, b) => a - b));
  }
});

test('delivered: a hundred events share a few connections', async () => {
  const sockets = new Set<unknown>();
  receiver.answer = (response) => {
    sockets.add(response.socket);
    answering(204)(response);
  };
  await createWebhook(app, merchant, { url: receiver.url });
  await publishAbout(
    merchant,
    Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? ana.id : ben.id)),
  );
  await until(() => receiver.received.length === 100);
  expect(sockets.size).toBeLessThanOrEqual(4);
});

describe('a receiver that drops connections', () => {
  test('before it answers: the event is sent again, under the same id', async () => {
    receiver.answer = (response) => response.socket?.destroy();
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    await publishAbout(merchant, [ana.id]);
    expect(await attempted(app, merchant, id, { event: 1, attempts: 1 })).toMatchObject({
      error: 'ECONNRESET',
      state: 'pending',
    });
    receiver.answer = answering(200);
    await letPass(app, merchant, id, 5);
    await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('after each answer: nothing fails', async () => {
    receiver.answer = (response) => {
      response.writeHead(200).end();
      response.socket?.end();
    };
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    await publishAbout(
      merchant,
      Array.from({ length: 20 }, () => ana.id),
    );
    await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 20);
    expect((await listDeliveries(app, merchant, id)).map(({ attempts }) => attempts)).toEqual(
      Array.from({ length: 20 }, () => 1),
    );
  });
});

describe('Retry-After', () => {
  const answeringWait =
    (status: number, retryAfter: string | (() => string)): Receiver['answer'] =>
    (response) => {
      const header = typeof retryAfter === 'string' ? retryAfter : retryAfter();
      response.writeHead(status, { 'Retry-After': header }).end();
    };

  async function nextWait(status: number, retryAfter: string | (() => string)): Promise<number> {
    receiver.answer = answeringWait(status, retryAfter);
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    await publishAbout(merchant, [ana.id]);
    const { next_attempt_at: nextAt, log } = await attempted(app, merchant, id, { event: 1, attempts: 1 });
    return nextAt - (log[0]?.at ?? 0);
  }

  test.each([429, 503])('%i with seconds: the next attempt waits that long', async (status) => {
    const waited = await nextWait(status, '300');
    expect(waited).toBeGreaterThanOrEqual(299);
    expect(waited).toBeLessThanOrEqual(302);
  });

  test('429 with a date: the next attempt waits until then', async () => {
    const waited = await nextWait(429, () => new Date(Date.now() + 900_000).toUTCString());
    expect(waited).toBeGreaterThanOrEqual(895);
    expect(waited).toBeLessThanOrEqual(903);
  });

  test.each([
    ['a time that has passed', new Date(Date.now() - 900_000).toUTCString()],
    ['less than the schedule', '1'],
    ['not a time', 'soon'],
    ['a negative time', '-5'],
  ])('%s: the schedule of the service applies', async (_name, text) => {
    const waited = await nextWait(429, text);
    expect(waited).toBeGreaterThanOrEqual(4);
    expect(waited).toBeLessThanOrEqual(7);
  });

  test('a year: twelve hours at most', async () => {
    const waited = await nextWait(503, String(365 * 86_400));
    expect(waited).toBeGreaterThanOrEqual(12 * 3600 - 2);
    expect(waited).toBeLessThanOrEqual(12 * 3600 + 2);
  });

  test('other accounts do not wait', async () => {
    receiver.answer = (response, request) =>
      eventOf(request) === 1 ? answeringWait(429, '3600')(response, request) : answering(200)(response);
    await createWebhook(app, merchant, { url: receiver.url });
    await publishAbout(merchant, [ana.id, ben.id]);
    await hears(1, 2);
    expect(heard().filter((event) => event === 1)).toHaveLength(1);
  });
});

describe('an endpoint that changes while events are in progress', () => {
  test('is deleted: its run ends, and nothing more is sent', async () => {
    receiver.answer = () => undefined;
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    await publishAbout(merchant, [ana.id, ana.id]);
    await hears(1);
    expect((await call(app, 'DELETE', `/webhooks/${id}`, undefined, merchant)).status).toBe(200);
    expect((await app.pool.query('SELECT FROM webhook_deliveries WHERE endpoint_id = $1', [id])).rowCount).toBe(0);
    expect(heard()).toEqual([1]);
  });

  test('gets a new address: the next event of the same account goes there', async () => {
    const moved = await startReceiver();
    const { id } = await createWebhook(app, merchant, { url: receiver.url });
    let answerFirst = (): void => undefined;
    receiver.answer = (response) => (answerFirst = () => answering(200)(response));
    await publishAbout(merchant, [ana.id, ana.id]);
    await hears(1);
    await call(app, 'PATCH', `/webhooks/${id}`, { url: moved.url }, merchant);
    // An event of another account goes to the new address once the round has read it. Only then is the first one answered.
    await publishAbout(merchant, [ben.id]);
    await until(() => moved.received.length === 1);
    answerFirst();
    await until(() => moved.received.length + receiver.received.length === 3);
    expect(eventsOf(moved).map(([event]) => event)).toEqual([3, 2]);
    expect(heard()).toEqual([1]);
    await moved.stop();
  });
});
