import { randomUUID } from 'node:crypto';
import { type Activities } from '../../activities';
import { type startWorker as startWorkerType, type RunningWorker } from '../../workers/worker';
import { findFaults } from '../support/books';
import { bundleTimeLapse } from '../support/bundles';
import { startProgram } from '../support/childProcess';
import {
  adoptionSteps,
  lifeSteps,
  paymentSteps,
  pointsAround,
  privacySteps,
  providerCalls,
  demoDataSteps,
  readingSteps,
  reportSteps,
  webhookSteps,
  storeSteps,
  type CrashPoint,
  type CrashStep,
  type LifeStep,
  type PaymentStep,
  type PrivacyStep,
  type WebhookStep,
  type StoreStep,
} from '../support/crashPoints';
import { cards, createShop, subscribe, type SubscriptionRow } from '../support/factories';
import { answerPage, buy, createRedirectShop, type PageAnswer } from '../support/redirects';
import { startApp, type TestApp } from '../support/startApp';
import { installQuietRuntime } from '../support/quietRuntime';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/** The worker is killed before and after the effect of each step, and another one continues. Each effect happens once. */

interface Path {
  card: string;
  ends: SubscriptionRow['status'];
  /** An hour passes in a millisecond. */
  isLapsed?: true;
  /** The subscription begins with a trial. */
  hasTrial?: true;
  /** The payer pays by Bancontact, or refuses. */
  page?: PageAnswer;
}

const paid: Path = { card: cards.success, ends: 'active' };
const lost: Path = { card: cards.timeoutAfterCharging, ends: 'active' };
const unanswered: Path = { card: cards.needsAuthentication, ends: 'incomplete_expired', isLapsed: true };

const unansweredTrial: Path = { ...unanswered, hasTrial: true };

/** The steps of other files. */
type OtherStep =
  | LifeStep
  | PaymentStep
  | PrivacyStep
  | StoreStep
  | WebhookStep
  | (typeof reportSteps)[number]
  | (typeof demoDataSteps)[number]
  | (typeof readingSteps)[number];

/** The purchase that reaches each step. An activity without a line here or in another file does not compile. */
const paths: Record<Exclude<keyof Activities | (typeof providerCalls)[number], OtherStep>, Path> = {
  chargeFirstPeriod: paid,
  lookUpCharge: lost,
  voidCharge: unanswered,
  lookUpSetup: unansweredTrial,
  voidSetup: unansweredTrial,
  activateSubscription: paid,
  failSubscription: { card: cards.declined, ends: 'incomplete_expired' },
  'provider.charge': paid,
  'provider.lookUpCharge': lost,
  'provider.voidCharge': unanswered,
};

const onPage = (page: PageAnswer): Path => ({
  card: '',
  page,
  ends: page === 'refused' ? 'incomplete_expired' : 'active',
});

/** The same for a payment on another page. Its first charge asks for the page, and the second one ends it. */
const pagePaths: [CrashStep, Path][] = [
  ['chargeFirstPeriod', onPage('approved')],
  ['provider.charge', onPage('approved')],
  ['activateSubscription', onPage('approved')],
  ['failSubscription', onPage('refused')],
];

const steps = Object.keys(paths) as (keyof typeof paths)[];
const pathList: [CrashStep, Path][] = [...steps.map((step): [CrashStep, Path] => [step, paths[step]]), ...pagePaths];
const cells = pathList.flatMap(([step, path]) =>
  pointsAround([step]).map((point): [string, CrashPoint, Path] => [
    `${point}${path.page ? ', by Bancontact' : ''}`,
    point,
    path,
  ]),
);

let app: TestApp;
let temporal: TemporalClient;
let startWorker: typeof startWorkerType;
let activities: Activities;
let timeLapse: string;
let setTaskQueue: (name: string) => void;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
  timeLapse = await bundleTimeLapse();
  ({ startWorker } = await import('../../workers/worker.js'));
  activities = (await import('../../activities/index.js')).createActivities();
  const { config } = await import('../../src/config.js');
  setTaskQueue = (name) => void (config.TEMPORAL_TASK_QUEUE = name);
  installQuietRuntime();
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
});

/** Each cell has a task queue of its own, so that its workers process no subscription of another cell. */
interface Cell {
  taskQueue: string;
  workflowBundle: string;
}

const cellOf = (path: Path): Cell => ({
  taskQueue: `crash-${randomUUID()}`,
  workflowBundle: path.isLapsed ? timeLapse : (process.env['WORKFLOW_BUNDLE'] ?? ''),
});

const startChild = ({ taskQueue, workflowBundle }: Cell, environment: Record<string, string>) =>
  startProgram('crashingWorker', {
    TEMPORAL_TASK_QUEUE: taskQueue,
    WORKFLOW_BUNDLE: workflowBundle,
    DATABASE_POOL: '2',
    ...environment,
  });

const startHealthy = (cell: Cell): Promise<RunningWorker> =>
  startWorker({ ...cell, address: process.env['TEMPORAL_ADDRESS'] ?? '', namespace: 'default', activities });

let lastSubmission: Promise<unknown> = Promise.resolve();

/** The API has one task queue, which the cells use one after the other. */
function submit(cell: Cell, { card, hasTrial, page }: Path) {
  const submission = lastSubmission.then(async () => {
    const fee = hasTrial ? { trial_period_quantity: 7, trial_period_period: 'day' } : {};
    const shop = await (page ? createRedirectShop(app, 'subscription') : createShop(app, fee));
    setTaskQueue(cell.taskQueue);
    const { body } = await (page
      ? buy(app, shop, 'subscription', { payment_method: 'bancontact' })
      : subscribe(app, shop, card));
    // A message that the request left to the relay is sent with the same task queue.
    await until(async () => (await app.pool.query('SELECT FROM outbox')).rowCount === 0);
    return body.subscription_id;
  });
  lastSubmission = submission.catch(() => undefined);
  return submission;
}

test('every activity has its points in the table, and the provider its own', () => {
  const known = new Set<CrashStep>([
    ...steps,
    ...lifeSteps,
    ...paymentSteps,
    ...privacySteps,
    ...webhookSteps,
    ...readingSteps,
    ...reportSteps,
    ...demoDataSteps,
    ...storeSteps,
    ...adoptionSteps,
  ]);
  expect([...Object.keys(activities), ...providerCalls].filter((step) => !known.has(step as CrashStep))).toEqual([]);
});

/** The row may be written before the crash: only the workflow knows when the step is behind it. */
const getsTo = (id: string, state: string) =>
  until(async () => {
    const { searchAttributes } = await temporal.client.workflow.getHandle(`subscription-${id}`).describe();
    return searchAttributes['PaywallState']?.[0] === state;
  });

describe('kill -9 of the worker, then another worker', () => {
  test.concurrent.each(cells)('%s: charged as often as paid for, told once', async (_title, point, path) => {
    const cell = cellOf(path);
    const child = await startChild(cell, { CRASH_AT: point });
    const id = await submit(cell, path);
    const answered = path.page && answerPage(app, `${id}:1:1`, path.page);
    expect(await child.ended).toBe('SIGKILL');

    const worker = await startHealthy(cell);
    await answered;
    await getsTo(id, path.ends);
    await worker.stop();
    expect(await findFaults(app.pool, id)).toEqual([]);
  });

  test.concurrent('the check itself catches a worker that charges under a new key at each attempt', async () => {
    const cell = cellOf(paid);
    const child = await startChild(cell, { CRASH_AT: 'provider.charge:after', RANDOM_KEYS: '1' });
    const id = await submit(cell, paid);
    expect(await child.ended).toBe('SIGKILL');

    const second = await startChild(cell, { RANDOM_KEYS: '1' });
    await getsTo(id, paid.ends);
    await second.kill();
    expect(await findFaults(app.pool, id)).toContain('the card was charged 2 times, not 1');
  });
});
