import { startProxy, type Proxy } from '../support/proxy';
import { createShop, subscribe } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** The metrics of the task queues, with a real Temporal and a worker that comes and goes. */

let app: TestApp;
let temporal: Proxy;

beforeAll(async () => {
  temporal = await startProxy(`http://${process.env['TEMPORAL_ADDRESS'] ?? ''}`);
  app = await startApp({ TEMPORAL_ADDRESS: new URL(temporal.url).host });
});

afterAll(async () => {
  await app.stop();
  await temporal.stop();
});

const read = async () => (await import('../../src/adapters/queueCounts.js')).readQueues();
const pollers = async () => (await read()).map(({ queue, pollers: found }) => [queue, found]);

test('no worker: nobody polls, and tasks wait in the queue of the purchase', async () => {
  const none = { pollers: 0, waiting: 0, oldestSeconds: 0 };
  expect(await read()).toEqual([
    { queue: 'interactive', ...none },
    { queue: 'background', ...none },
    { queue: 'webhooks', ...none },
  ]);
  await subscribe(app, await createShop(app));
  await until(async () => (await read()).some(({ queue, waiting }) => queue === 'interactive' && waiting === 1));
});

test('a worker polls all queues, and takes the tasks', async () => {
  await app.startWorker();
  await until(async () => (await pollers()).every(([, found]) => Number(found) > 0));
  await until(async () => (await read()).every(({ waiting }) => waiting === 0));
});

test('nothing is reported while Temporal does not answer', async () => {
  const { countQueues } = await import('../../src/adapters/queueCounts.js');
  temporal.cut();
  expect(await read()).toEqual([]);
  expect(await countQueues()).toEqual([]);
  temporal.restore();
  await until(async () => (await pollers()).length === 3);
});
