import { publishEvents, upTo } from '../support/events';
import { createConsumer, createMerchant } from '../support/factories';
import { getKeys, listenByMqtt, mqttAddress } from '../support/mqtt';
import { type Replica, type Replicas, startReplicas } from '../support/replicas';
import { startProxy } from '../support/proxy';
import { until } from '../support/until';

let running: Replicas;

beforeAll(async () => (running = await startReplicas(2)));
afterAll(() => running.stop());

const itemsOf = (heard: { text: string }[]) =>
  heard.map(({ text }) => (JSON.parse(text) as { resource: { item_id: number } }).resource.item_id);

test('the keys of one replica open the channel of the other, and both hear what either commits', async () => {
  const [one, other] = running.replicas as [Replica, Replica];
  const merchant = await createMerchant(one);
  const consumer = await createConsumer(other, merchant);
  const here = await listenByMqtt(one, consumer);
  const there = await listenByMqtt(other, consumer);
  for (const item of upTo(10)) await publishEvents(consumer, merchant.id, [item]);
  await until(() => here.heard.length === 10 && there.heard.length === 10);
  expect([itemsOf(here.heard), itemsOf(there.heard)]).toEqual([upTo(10), upTo(10)]);
  await Promise.all([here.client.endAsync(), there.client.endAsync()]);
});

test('the library comes back by itself to the replica that is left, with the same keys', async () => {
  const [one, other] = running.replicas as [Replica, Replica];
  const merchant = await createMerchant(one);
  const consumer = await createConsumer(one, merchant);
  const line = await startProxy(one.address, other.address);
  const { sessionToken } = await getKeys(one, consumer);
  const { connectAsync } = await import('mqtt');
  const heard: { text: string }[] = [];
  let connections = 0;
  const address = mqttAddress({ address: line.url.replace(/\/$/, '') }, sessionToken);
  const client = await connectAsync(address, { protocolVersion: 4, keepalive: 300, reconnectPeriod: 50 });
  client.on('message', (_topic, payload) => heard.push({ text: payload.toString() }));
  client.on('connect', () => (connections += 1));
  client.on('error', () => undefined);
  await client.subscribeAsync(consumer.uuid);
  await publishEvents(consumer, merchant.id, [1]);
  await until(() => heard.length === 1);
  await one.kill();
  line.cut();
  line.restore();
  await until(() => connections > 0);
  // Nothing is replayed here: an app that connects again asks for the changes.
  await until(async () => {
    await publishEvents(consumer, merchant.id, [2]);
    return heard.length > 1;
  });
  expect(itemsOf(heard).slice(0, 2)).toEqual([1, 2]);
  await client.endAsync(true);
  await line.stop();
  await one.start();
});
