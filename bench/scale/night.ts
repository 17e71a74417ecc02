import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '../database';
import { openBuyer } from '../buyer';
import { inParallel } from '../inParallel';
import { type Product } from '../parts';
import { seed } from '../seed';
import { countRenewed, moveClock } from '../storm';
import { percentile } from '../table';
import { partNames, type Cost, type Meter } from './costs';
import { openSubscribers, type Subscribers } from './subscribers';

const inFlight = 30;
const readsPerSecond = 200;
const providerTakesMs = 50;
const warmUpMs = 5_000;
const readsAloneMs = 10_000;

export interface Night {
  cost: Cost;
  /** Of reading calls during the renewals, in milliseconds. */
  reads: { count: number; failed: number; p50: number; p99: number };
  /** What a renewal adds to the database. */
  bytesOfEach: number;
}

/**
 * All subscriptions of a merchant are due at once, among those of another merchant, while customers read 200 times a second. The
 * provider takes 50 ms for each charge.
 */
export async function measureNight(
  product: Product,
  meter: Meter,
  { subscribers, renewals, tell }: { subscribers: Subscribers; renewals: number; tell: (what: string) => void },
): Promise<Night> {
  const crowd = await seed(product.databaseUrl, 'night', renewals);
  const buyer = await openBuyer(product, crowd);
  tell(`${renewals} purchases whose renewals will be due`);
  await inParallel(renewals, inFlight, buyer.subscribe);
  buyer.close();
  await slowProvider();
  const reading = await openReading(product, subscribers);
  await reading.during(sleep(warmUpMs));
  const alone = await meter.measure('Reads', async () => (await reading.during(sleep(readsAloneMs))).ms.length);
  const before = await sizeOf(product.databaseUrl);
  tell('all of them are due');
  const renewed = meter.measure(`Renewals with ${readsPerSecond} reads/s beside them`, async () => {
    await moveClock(product, crowd.merchant.token);
    await withClient(product.databaseUrl, async (client) => {
      while ((await countRenewed(client, crowd.merchant.uuid)) < renewals) await sleep(500);
    });
    return renewals;
  });
  const took = await reading.during(renewed);
  const cost = without(await renewed, alone, took.ms.length);
  const bytesOfEach = ((await sizeOf(product.databaseUrl)) - before) / renewals;
  const [p50, p99] = [percentile(took.ms, 50), percentile(took.ms, 99)];
  return { cost, reads: { count: took.ms.length, failed: took.failed, p50, p99 }, bytesOfEach };
}

/** The cost of the renewals, without the reads beside them. */
function without(cost: Cost, read: Cost, reads: number): Cost {
  const cpuMs = { ...cost.cpuMs };
  for (const part of partNames) cpuMs[part] -= (read.cpuMs[part] * reads) / cost.units;
  return { ...cost, cpuMs };
}

/** Each charge of the sandbox takes as long as one of a real provider. */
async function slowProvider(): Promise<void> {
  const answer = await fetch(`${process.env['SANDBOX_API_BASE']}/simulator/faults`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${process.env['SANDBOX_KEY']}` },
    body: JSON.stringify({ kind: 'late', on: 'charges', times: 1e9, lateMs: providerTakesMs }),
  });
  if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}: ${await answer.text()}`);
}

/** Reads of many customers, each sent at its time even while earlier ones wait. */
async function openReading(product: Product, subscribers: Subscribers) {
  const agent = new Agent({ keepAlive: true });
  const viewers = await openSubscribers(product, subscribers, 5_000);
  const paths = [(itemId: number) => `/items/${itemId}/access`, () => '/subscriptions?size=15'];
  const read = (number: number) =>
    new Promise<number | undefined>((resolve) => {
      const { itemId, token } = viewers[number % viewers.length] ?? { itemId: 0, token: '' };
      const path = paths[number % paths.length]?.(itemId) ?? '/';
      const beganAt = performance.now();
      const headers = { Authorization: `Bearer ${token}` };
      get({ agent, port: product.apiPort, path, headers }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode === 200 ? performance.now() - beganAt : undefined));
      }).on('error', () => resolve(undefined));
    });
  return {
    during: async (work: Promise<unknown>) => {
      let isDone = false;
      void work.then(
        () => (isDone = true),
        () => (isDone = true),
      );
      const sent: Promise<number | undefined>[] = [];
      for (const beganAt = performance.now(); !isDone; await sleep(5))
        while (sent.length < ((performance.now() - beganAt) / 1000) * readsPerSecond) sent.push(read(sent.length));
      const answered = await Promise.all(sent);
      const ms = answered.filter((took) => took !== undefined);
      return { ms, failed: answered.length - ms.length };
    },
  };
}

function sizeOf(databaseUrl: string): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ size: number }>(
      'SELECT pg_database_size(current_database())::float8 AS size',
    );
    return rows[0]?.size ?? 0;
  });
}
