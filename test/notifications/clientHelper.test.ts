import { type EventMessage } from '../../src/notifications/events';
import { call } from '../support/client';
import { loadClientHelper, readClientHelper } from '../support/clientHelper';
import { publishEvents, upTo } from '../support/events';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { startProxy } from '../support/proxy';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** The client that docs/notifications.md offers to copy. channel.disconnects.test.ts tests it with faults. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

function listenTo(address: string, person: Person, options: { merchantUuid?: string; lastEventId?: number } = {}) {
  const heard: EventMessage[] = [];
  let refuse = (_code: number): void => undefined;
  const refused = new Promise<number>((resolve) => (refuse = resolve));
  const stop = loadClientHelper()({
    address: address.replace('http', 'ws').replace(/\/$/, ''),
    merchantUuid: person.merchantUuid,
    getToken: () => person.token,
    onEvent: (event) => heard.push(event),
    onRefused: refuse,
    ...options,
  });
  return { heard, refused, stop };
}

test('is at most 30 lines', () => {
  const lines = readClientHelper().trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.length).toBeLessThanOrEqual(30);
});

test('begins with what is kept, or after the place that it is given', async () => {
  const consumer = await createConsumer(app, merchant);
  await publishEvents(consumer, merchant.id, upTo(3));
  const all = listenTo(app.address, consumer);
  await until(() => all.heard.length === 3);
  const rest = listenTo(app.address, consumer, { lastEventId: all.heard[1]?.id ?? 0 });
  await until(() => rest.heard.length === 1);
  expect(rest.heard).toEqual(all.heard.slice(2));
  all.stop();
  rest.stop();
});

test('comes back after a broken line, and hears what it missed', async () => {
  const consumer = await createConsumer(app, merchant);
  const line = await startProxy(app.address);
  const { heard, stop } = listenTo(line.url, consumer);
  await publishEvents(consumer, merchant.id, [1]);
  await until(() => heard.length === 1);
  line.cut();
  await publishEvents(consumer, merchant.id, [2, 3]);
  line.restore();
  await until(() => heard.length === 3);
  expect(heard.map(({ resource }) => resource['item_id'])).toEqual([1, 2, 3]);
  stop();
  await line.stop();
});

test('says when it is refused, and does not come back', async () => {
  const consumer = await createConsumer(app, merchant);
  const line = await startProxy(app.address);
  const signedIn = listenTo(line.url, consumer);
  await publishEvents(consumer, merchant.id, [1]);
  await until(() => signedIn.heard.length === 1);
  await call(app, 'GET', '/accounts/logout', undefined, consumer);
  expect(await signedIn.refused).toBe(4401);
  expect(line.attempts()).toBe(1);
  const other = await createConsumer(app, merchant);
  expect(await listenTo(line.url, other, { merchantUuid: other.uuid }).refused).toBe(4403);
  await line.stop();
});

test('hears nothing once it was stopped', async () => {
  const consumer = await createConsumer(app, merchant);
  const line = await startProxy(app.address);
  const { heard, stop } = listenTo(line.url, consumer);
  await publishEvents(consumer, merchant.id, [1]);
  await until(() => heard.length === 1);
  stop();
  await until(() => !line.isOpen());
  await publishEvents(consumer, merchant.id, [2]);
  expect(heard).toHaveLength(1);
  await line.stop();
});
