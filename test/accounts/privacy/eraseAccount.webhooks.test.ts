import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { isErased } from '../../support/privacy';
import { type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import {
  createWebhook,
  listDeliveries,
  publishAbout,
  startReceiver,
  startWebhookApp,
  type Receiver,
} from '../../support/webhooks';

/** Receivers whose answers contain personal data. The log of deliveries holds none of an erased account. */

let app: TestApp;
let receiver: Receiver;
let merchant: Person;
let gone: Person;
let other: Person;
let id: number;

beforeAll(async () => (app = await startWebhookApp()));
beforeEach(async () => {
  receiver = await startReceiver();
  merchant = await createMerchant(app);
  [gone, other] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  ({ id } = await createWebhook(app, merchant, { url: receiver.url, events: ['access.revoked'] }));
});
afterEach(() => receiver.stop());
afterAll(() => app.stop());

const bodies = async () => {
  const deliveries = await listDeliveries(app, merchant, id);
  return new Map(deliveries.map(({ event_id: eventId, response_body: body }) => [eventId, body]));
};

async function erase(): Promise<void> {
  expect((await call(app, 'DELETE', '/accounts/erase', { password }, gone)).status).toBe(202);
  await isErased(app, gone.id);
}

const delivered = (count: number) =>
  until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === count);

test('account.erased: no answer in the log names the account or its address, and answers about others are kept', async () => {
  const answers = [
    'anything about it',
    `${gone.email.toUpperCase()} sent a gift`,
    `email=${gone.email.replace('@', '%40')}`,
    `of ${gone.uuid}`,
    `${other.email} is known`,
  ];
  receiver.answer = (response, { body }) => {
    const { id: event } = JSON.parse(body) as { id: number };
    response.writeHead(200).end(answers[event - 1] ?? '');
  };
  await publishAbout(merchant, [gone.id, other.id, other.id, other.id, other.id]);
  await delivered(5);
  expect((await bodies()).get(1)).toBe(answers[0]);
  await erase();
  const left = await bodies();
  expect([1, 2, 3, 4, 5].map((event) => left.get(event))).toEqual(['', '', '', '', answers[4]]);
});

test('account.erased: an answer that arrives after the erasure is not stored', async () => {
  const waiting: (() => void)[] = [];
  receiver.answer = (response, { body }) => void waiting.push(() => response.writeHead(200).end(body));
  await publishAbout(merchant, [gone.id]);
  await until(() => waiting.length === 1);
  await erase();
  for (const answer of waiting) answer();
  await delivered(1);
  expect((await bodies()).get(1)).toBe('');
});
