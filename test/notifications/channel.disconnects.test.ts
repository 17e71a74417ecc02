import { randomInt } from 'node:crypto';
import { type EventMessage } from '../../src/notifications/events';
import { loadClientHelper } from '../support/clientHelper';
import { publishEvents, upTo } from '../support/events';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { type Proxy, startProxy } from '../support/proxy';
import { type Replicas, startReplicas } from '../support/replicas';
import { size } from '../support/size';
import { until } from '../support/until';

/**
 * Connections break at any moment, a replica dies and comes back, and events are committed all the time. With the client
 * of the README everyone receives all of its own events once and in order, and no others.
 */

const crowd = size({ usual: { clients: 20, disconnects: 200 }, full: { clients: 50, disconnects: 1_000 } });
const eventsEach = 10;

interface ListeningClient {
  person: Person;
  line: Proxy;
  heard: EventMessage[];
  refused: number[];
  stop: () => void;
}

jest.setTimeout(20 * 60_000);

let running: Replicas;
let merchant: Person;
let clients: ListeningClient[];

beforeAll(async () => {
  running = await startReplicas(2);
  const [first] = running.replicas;
  merchant = await createMerchant({ address: first?.address ?? '' });
  clients = [await openClient(merchant)];
  while (clients.length < crowd.clients)
    clients.push(await openClient(await createConsumer({ address: first?.address ?? '' }, merchant)));
});

afterAll(async () => {
  for (const { stop } of clients) stop();
  await Promise.all(clients.map(({ line }) => line.stop()));
  await running.stop();
});

/** Over a connection of its own to any of the replicas. */
async function openClient(person: Person): Promise<ListeningClient> {
  const [one = '', ...others] = running.replicas.map(({ address }) => address);
  const line = await startProxy(one, ...others);
  const heard: EventMessage[] = [];
  const refused: number[] = [];
  const stop = loadClientHelper()({
    address: line.url.replace('http', 'ws').replace(/\/$/, ''),
    merchantUuid: person.merchantUuid,
    getToken: () => person.token,
    onEvent: (event) => heard.push(event),
    onRefused: (code) => refused.push(code),
  });
  return { person, line, heard, refused, stop };
}

const anyOf = <T>(list: T[]) => list[randomInt(list.length)] as T;

async function publishSome(): Promise<void> {
  const consumers = clients.slice(1);
  for (let left = eventsEach; left > 0;) {
    const together = Math.min(left, 1 + randomInt(4));
    await publishEvents(anyOf(consumers).person, merchant.id, upTo(together));
    left -= together;
  }
}

async function breakAny(): Promise<void> {
  const { line } = await until(() => {
    const open = clients.filter((client) => client.line.isOpen());
    return open.length > 0 && anyOf(open);
  });
  line.cut();
  line.restore();
}

async function idsOf({ person }: ListeningClient): Promise<number[]> {
  const text = 'SELECT sequence FROM events WHERE merchant_id = $1 AND ($2 OR account_id = $3) ORDER BY sequence';
  const values = [merchant.id, person === merchant, person.id];
  return (await running.pool.query<{ sequence: number }>(text, values)).rows.map(({ sequence }) => Number(sequence));
}

test('every client hears its own events in order, none missing, none foreign, none twice', async () => {
  const [victim] = running.replicas;
  let returned: Promise<void> | undefined;
  for (let broken = 1; broken <= crowd.disconnects; broken += 1) {
    await Promise.all([publishSome(), breakAny()]);
    if (broken === Math.floor(crowd.disconnects / 3)) expect(await victim?.kill()).toBe('SIGKILL');
    if (broken === Math.floor((crowd.disconnects * 2) / 3)) returned = victim?.start();
  }
  await returned;
  for (const client of clients) {
    const ids = await idsOf(client);
    await until(() => client.heard.length >= ids.length);
    expect(client.heard.map(({ id }) => id)).toEqual(ids);
    expect(client.refused).toEqual([]);
    const accounts = new Set(client.heard.map(({ account_uuid }) => account_uuid));
    if (client.person !== merchant) expect([...accounts]).toEqual(ids.length > 0 ? [client.person.uuid] : []);
  }
  expect(await idsOf(clients[0] as ListeningClient)).toHaveLength(crowd.disconnects * eventsEach);
});
