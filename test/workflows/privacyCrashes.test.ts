import { randomUUID } from 'node:crypto';
import { type Activities } from '../../activities';
import { type startWorker as startWorkerType, type RunningWorker } from '../../workers/worker';
import { startProgram } from '../support/childProcess';
import { call } from '../support/client';
import { pointsAround, privacySteps, type CrashPoint } from '../support/crashPoints';
import { cards, createShop, password, type Person, reaches, subscribe } from '../support/factories';
import { isErased, requestErasure } from '../support/privacy';
import { installQuietRuntime } from '../support/quietRuntime';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';
import { queryBooks } from '../support/providerBooks';

/** The worker is killed around each step of an export and an erasure, and another one continues. Each effect happens once. */

const points = pointsAround(privacySteps);
const ofExport = points.filter((point) => point.startsWith('mailExport'));
const ofErasure = points.filter((point) => !ofExport.includes(point));

let app: TestApp;
let startWorker: typeof startWorkerType;
let activities: Activities;
let setTaskQueue: (name: string) => void;

beforeAll(async () => {
  app = await startApp();
  ({ startWorker } = await import('../../workers/worker.js'));
  activities = (await import('../../activities/index.js')).createActivities();
  const { config } = await import('../../src/config.js');
  setTaskQueue = (name) => void (config.TEMPORAL_TASK_QUEUE = name);
  installQuietRuntime();
});

afterAll(() => app.stop());

const startHealthy = (taskQueue: string): Promise<RunningWorker> =>
  startWorker({
    taskQueue,
    workflowBundle: process.env['WORKFLOW_BUNDLE'] ?? '',
    address: process.env['TEMPORAL_ADDRESS'] ?? '',
    namespace: 'default',
    activities,
  });

let lastAsked: Promise<unknown> = Promise.resolve();

/** The API has one task queue, which the cells use one after the other. */
function inTurn(taskQueue: string, ask: () => Promise<void>): Promise<void> {
  const asked = lastAsked.then(async () => {
    setTaskQueue(taskQueue);
    await ask();
    // A message that the request left to the relay is sent with the same task queue.
    await until(async () => (await app.pool.query('SELECT FROM outbox')).rowCount === 0);
  });
  lastAsked = asked.catch(() => undefined);
  return asked;
}

/** On a task queue of its own: the request in `ask` reaches the worker that crashes, and then one that does not. */
async function crashing(point: CrashPoint, ask: () => Promise<void>, isDone: () => Promise<boolean>): Promise<void> {
  const taskQueue = `crash-${randomUUID()}`;
  const child = await startProgram('crashingWorker', {
    TEMPORAL_TASK_QUEUE: taskQueue,
    WORKFLOW_BUNDLE: process.env['WORKFLOW_BUNDLE'] ?? '',
    DATABASE_POOL: '2',
    CRASH_AT: point,
  });
  await inTurn(taskQueue, ask);
  expect(await child.ended).toBe('SIGKILL');
  const worker = await startHealthy(taskQueue);
  await until(isDone);
  await worker.stop();
}

const count = async (text: string, person: Person) =>
  Number((await app.pool.query<{ count: string }>(text, [person.id])).rows[0]?.count);

test.concurrent.each(ofExport)(
  'account.export.success: killed at %s, it is mailed once and told once',
  async (point) => {
    const { consumer } = await createShop(app);
    const told = `SELECT count(*) FROM events WHERE account_id = $1 AND type = 'account.export.success'`;
    await crashing(
      point,
      async () => void (await call(app, 'POST', '/accounts/export', { password }, consumer)),
      async () =>
        (await count(`SELECT count(*) FROM account_operations WHERE account_id = $1 AND state = 'done'`, consumer)) ===
        1,
    );
    expect(await count(told, consumer)).toBe(1);
    expect(
      await count(`SELECT count(*) FROM mails WHERE account_id = $1 AND template = 'account_export'`, consumer),
    ).toBe(1);
  },
);

test.concurrent.each(ofErasure)(
  'account.erased: killed at %s, it is erased whole, told once, charged no more',
  async (point) => {
    const shop = await createShop(app);
    const { consumer } = shop;
    let card = '';
    await crashing(
      point,
      async () => {
        const { body } = await subscribe(app, shop, cards.success);
        await reaches(app, consumer, body.subscription_id, 'active');
        const { rows } = await app.pool.query<{ token: string }>('SELECT token FROM cards WHERE account_id = $1', [
          consumer.id,
        ]);
        card = rows[0]?.token ?? '';
        expect((await requestErasure(app, consumer)).status).toBe(202);
      },
      () => isErased(app, consumer.id),
    );
    expect(await count(`SELECT count(*) FROM events WHERE account_id = $1 AND type = 'account.erased'`, consumer)).toBe(
      1,
    );
    expect(await count(`SELECT count(*) FROM events WHERE account_id = $1 AND type = 'access.revoked'`, consumer)).toBe(
      1,
    );
    const lastMails = await app.pool.query('SELECT template FROM mails WHERE recipient = $1', [consumer.email]);
    expect(lastMails.rows).toEqual([{ template: 'account_erased' }]);
    const { rows } = await queryBooks(
      app.pool,
      'SELECT status, forgotten_at IS NOT NULL AS forgotten FROM sandbox_charges JOIN sandbox_cards USING (token) WHERE token = $1',
      [card],
    );
    expect(rows).toEqual([{ status: 'paid', forgotten: true }]);
    const states = await app.pool.query('SELECT state FROM subscriptions WHERE account_id = $1', [consumer.id]);
    expect(states.rows).toEqual([{ state: 'canceled' }]);
  },
);
