import { type RunningWorker, type startWorker as startWorkerType } from '../../workers/worker';
import { findFaults } from '../support/books';
import { startProgram } from '../support/childProcess';
import { cards, createConsumer, createShop, subscribe, type Person } from '../support/factories';
import { issued } from '../support/invoices';
import { installQuietRuntime } from '../support/quietRuntime';
import { size } from '../support/size';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';
import { until } from '../support/until';
import { workerSettings } from '../support/workerSettings';

/** Many purchases at the same time, while their worker is killed repeatedly at random moments. */
const { purchases, kills } = size({ usual: { purchases: 40, kills: 4 }, full: { purchases: 100, kills: 8 } });
const used = [cards.success, cards.success, cards.timeoutAfterCharging, cards.timeoutBeforeCharging, cards.declined];

let app: TestApp;
let startWorker: typeof startWorkerType;

beforeAll(async () => {
  app = await startApp();
  ({ startWorker } = await import('../../workers/worker.js'));
  installQuietRuntime();
});

afterAll(() => app.stop());

const startChild = () => startProgram('crashingWorker', { DATABASE_POOL: '4' });

async function startHealthy(): Promise<RunningWorker> {
  const { createActivities } = await import('../../activities/index.js');
  return startWorker({ ...workerSettings(), activities: createActivities() });
}

async function countOf(condition: string): Promise<number> {
  const { rows } = await app.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM subscriptions WHERE ${condition}`,
  );
  return rows[0]?.count ?? 0;
}

test(`kill -9, ${kills} times while ${purchases} subscriptions begin: no charge and no invoice number is missing, and none is there twice`, async () => {
  const shop = await createShop(app);
  await nameSeller(app, shop);
  let child = await startChild();
  const consumers: Person[] = [];
  // One by one: so many registrations at once are more than a small machine takes.
  while (consumers.length < purchases) consumers.push(await createConsumer(app, shop.merchant));
  const submitted = await Promise.all(
    consumers.map(async (consumer, index) => {
      const { body } = await subscribe(app, { ...shop, consumer }, used[index % used.length]);
      return body.subscription_id;
    }),
  );
  for (let kill = 1; kill <= kills; kill += 1) {
    const goal = Math.floor((kill * purchases) / (kills + 2));
    await until(async () => (await countOf(`state <> 'incomplete'`)) >= goal);
    await child.kill();
    child = await startChild();
  }
  await child.kill();
  const worker = await startHealthy();
  await until(async () => (await countOf(`state = 'incomplete'`)) === 0);
  await worker.stop();

  const faults = await Promise.all(submitted.map((id) => findFaults(app.pool, id)));
  // All belong to one merchant, so their events are interleaved.
  expect(faults.flat()).toEqual([]);
  const declined = purchases / used.length;
  expect(await countOf(`state = 'incomplete_expired'`)).toBe(declined);
  const numbers = (await issued(app, shop.merchant)).map(({ sequence_no: number }) => number);
  expect(numbers).toEqual(Array.from({ length: purchases - declined }, (_, index) => index + 1));
});
