import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { inParallel } from './inParallel';
import { type Setting } from './parts';
import { type Seeded } from './seed';
import { type Line, median } from './table';
import { inTurn } from './timed';

const perRound = 3_000;
const rounds = 3;
export const webhookEvents = rounds * perRound;
/** As many as the product sends in parallel. */
const inFlight = 48;
const stuckAfterMs = 120_000;
const body = JSON.stringify({ type: 'access.revoked', resource: { item_id: 1 } }).padEnd(300);

/** Compares webhooks for many customers' events with bare POST requests to the same receiver, in alternating rounds. */
export async function measureWebhooks({ product, seeded, tell }: Setting): Promise<Line[]> {
  const receiver = await startReceiver();
  const database = new Client({ connectionString: product.databaseUrl });
  await database.connect();
  try {
    const webhook = new Webhook(product.apiPort, seeded.merchant);
    await webhook.create(receiver.url);
    tell(`${rounds} rounds of ${perRound} events, and of as many bare requests`);
    const deliverEvents = async () => {
      await writeEvents(database, seeded.merchant.uuid);
      return receiver.rateOf(() => webhook.wake());
    };
    const perSecond = await inTurn(rounds, deliverEvents, () => receiver.rateOf(() => postBare(receiver.url)));
    const delivered = median(perSecond.product);
    return [
      { what: 'Webhook events to one endpoint', unit: '/s', product: delivered, aim: { atLeast: 200 } },
      { what: 'The same beside bare requests', unit: '/s', product: delivered, bare: median(perSecond.bare) },
    ];
  } finally {
    await database.end();
    receiver.stop();
  }
}

/** The merchant's webhook, created and changed through the API. */
class Webhook {
  private id = 0;

  constructor(
    private readonly port: number,
    private readonly merchant: Seeded['merchant'],
  ) {}

  async create(url: string): Promise<void> {
    const { id } = (await this.call('POST', '/webhooks', { url })) as { id: number };
    this.id = id;
  }

  /** A change of the webhook makes its run look for events. */
  async wake(): Promise<void> {
    await this.call('PATCH', `/webhooks/${this.id}`, { description: 'Bench' });
  }

  private async call(method: string, path: string, fields: Record<string, string>): Promise<unknown> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.merchant.token}` },
      body: new URLSearchParams(fields),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  }
}

/** Writes the events in one transaction, as the product does. The merchant's customers take turns. */
async function writeEvents(database: Client, merchantUuid: string): Promise<void> {
  await database.query(
    `WITH merchant AS (SELECT id FROM accounts WHERE uuid = $1), taken AS (
       UPDATE channels SET last_sequence = last_sequence + $2 FROM merchant WHERE merchant_id = merchant.id
       RETURNING merchant_id, last_sequence - $2 AS before
     ), customers AS (
       SELECT a.id, row_number() OVER (ORDER BY a.id) - 1 AS place, count(*) OVER () AS total
       FROM accounts a JOIN merchant ON a.merchant_id = merchant.id WHERE a.role = 'consumer'
     )
     INSERT INTO events (merchant_id, sequence, account_id, type, resource, dedupe_key)
     SELECT t.merchant_id, t.before + n, c.id, 'access.revoked', '{"item_id": 1}', gen_random_uuid()::text
     FROM taken t CROSS JOIN generate_series(1, $2::int) AS n JOIN customers c ON c.place = n % c.total`,
    [merchantUuid, perRound],
  );
}

async function postBare(url: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      const sent = request(url, { method: 'POST', agent, headers }, (answer) => answer.resume().once('end', resolve));
      sent.on('error', reject);
      sent.end(body);
    });
  await inParallel(perRound, inFlight, post);
  agent.destroy();
}

interface Receiver {
  url: string;
  /** Requests per second, from the start of the work until all requests of a round have arrived. */
  rateOf: (work: () => Promise<void>) => Promise<number>;
  stop: () => void;
}

async function startReceiver(): Promise<Receiver> {
  let received = 0;
  const server: Server = createServer((incoming, answer) => {
    incoming.resume().once('end', () => {
      received += 1;
      answer.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    rateOf: async (work) => {
      received = 0;
      const began = performance.now();
      const done = work();
      while (received < perRound) {
        if (performance.now() - began > stuckAfterMs) throw new Error(`Only ${received} of ${perRound} arrived`);
        await sleep(5);
      }
      await done;
      return (perRound * 1000) / (performance.now() - began);
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
