import { randomUUID } from 'node:crypto';
import { type Activities } from '../../activities';
import { type RunningWorker, type startWorker as startWorkerType } from '../../workers/worker';
import { findFaults, type Expected } from '../support/books';
import { startProgram } from '../support/childProcess';
import { call, type Reply } from '../support/client';
import { accounts, createDebitShop, subscribeByDebit } from '../support/debits';
import { lifeSteps, pointsAround, type CrashPoint, type LifeStep } from '../support/crashPoints';
import { cards, createFee, createShop, reaches, subscribe, type Shop } from '../support/factories';
import { giveTrial } from '../support/scenarios';
import { installQuietRuntime } from '../support/quietRuntime';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { catchesUp, passDays, passPeriod } from '../support/testClock';
import { until } from '../support/until';

/** The worker is killed around each later step of a subscription, and another one continues. */

let app: TestApp;
let temporal: TemporalClient;
let startWorker: typeof startWorkerType;
let activities: Activities;
let setTaskQueue: (name: string) => void;

beforeAll(async () => {
  app = await startApp();
  temporal = await connectTemporal();
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

interface Cell {
  shop: Shop;
  id: string;
}

/** The moves that bring a subscription to a step. Each move waits for the steps of the previous one. */
type Move = (cell: Cell) => Promise<unknown>;

interface Path extends Expected {
  card?: string;
  /** A direct debit, whose access begins at submission. */
  iban?: string;
  trial?: true;
  moves: Move[];
  ends: string;
}

const pass =
  (days: number): Move =>
  ({ shop }) =>
    passDays(app, shop.merchant, days);
/** The length of a period depends on the date of the test. */
const passPastEnd =
  (days: number): Move =>
  ({ shop, id }) =>
    passPeriod(app, shop, id, days);

/** Repeated with the same key until it is answered, because a killed worker does not answer. */
const insist = (ask: (cell: Cell, headers: Record<string, string>) => Promise<Reply<unknown>>): Move => {
  return async (cell) => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const { status, body } = await until(async () => {
      const reply = await ask(cell, headers);
      return reply.status !== 503 && reply.status !== 202 && reply;
    });
    if (status === 409) throw new Error(`refused, though its turn had come: ${JSON.stringify(body)}`);
  };
};
const ask = (what: string, fields: Record<string, unknown> = {}) =>
  insist(({ shop, id }, headers) =>
    call(app, 'POST', `/subscriptions/${id}/${what}`, fields, { token: shop.consumer.token, headers }),
  );
const cancel = insist(({ shop, id }, headers) =>
  call(app, 'DELETE', `/subscriptions/${id}`, {}, { token: shop.consumer.token, headers }),
);
/** A step that ran twice would give twice the days. */
const extend = insist(({ shop, id }, headers) =>
  call(app, 'POST', `/subscriptions/${id}/extend`, { days: 7 }, { token: shop.merchant.token, headers }),
);
const signal =
  (name: string): Move =>
  ({ id }) =>
    temporal.client.workflow.getHandle(`subscription-${id}`).signal(name, {});
const newCard: Move = ({ shop }) => {
  const card = { number: cards.success, card_name: 'Ana', exp_month: 1, exp_year: 2041, cvv: 123, currency_iso: 'EUR' };
  return call(app, 'PUT', '/v2/payments/cards/default', card, shop.consumer);
};
const switchTo =
  (amount: string): Move =>
  async (cell) => {
    const { id } = await createFee(app, cell.shop.merchant, cell.shop.item.id, { amount });
    return ask('switch', { access_fee_id: id })(cell);
  };

/** Accepts half the price for two charges in place of a cancellation. */
const keepForLess: Move = async (cell) => {
  const offer = { kind: 'discount', percent: 50, charges: 2 };
  await call(app, 'POST', '/v2/cancel-offers', offer, cell.shop.merchant);
  const path = `/v2/subscriptions/${cell.id}/cancel-offer`;
  const shown = await call<{ offer_id: number }>(app, 'POST', path, {}, cell.shop.consumer);
  const { offer_id } = shown.body;
  const accept = insist(({ shop }, headers) =>
    call(app, 'POST', `${path}/accept`, { offer_id }, { token: shop.consumer.token, headers }),
  );
  return accept(cell);
};

const begun = ['access.granted', 'subscribe.success'];
const ended = ['access.revoked', 'subscribe.expired'];
const renewed: Path = {
  moves: [passPastEnd(1)],
  ends: 'active',
  charged: 2,
  events: [...begun, 'subscribe.renewed'],
};
const failed: Path = {
  card: cards.declinedAtRenewal,
  moves: [passPastEnd(4)],
  ends: 'past_due',
  charged: 1,
  events: [...begun, 'subscribe.past_due'],
};
const cardChanged: Path = {
  ...failed,
  moves: [passPastEnd(1), newCard],
  ends: 'active',
  charged: 2,
  events: [...failed.events, 'subscribe.renewed'],
};
const debitPaid = [...begun, 'subscribe.updated'];
const paused = [...begun, 'subscribe.updated', 'access.revoked', 'subscribe.updated'];

const paths: Record<LifeStep, Path> = {
  takeOffer: { moves: [keepForLess], ends: 'active', charged: 1, events: [...begun, 'subscribe.updated'] },
  startTrial: { trial: true, moves: [], ends: 'trialing', charged: 0, events: begun },
  chargeNextPeriod: renewed,
  renewSubscription: renewed,
  failRenewal: failed,
  deferRenewal: {
    card: cards.misconfiguredAtRenewal,
    moves: [passPastEnd(1)],
    ends: 'active',
    charged: 1,
    events: begun,
  },
  remind: failed,
  holdSubscription: {
    ...failed,
    moves: [passPastEnd(8)],
    ends: 'on_hold',
    events: [...failed.events, 'access.revoked'],
  },
  expireSubscription: {
    ...failed,
    moves: [passPastEnd(29)],
    ends: 'expired',
    events: [...failed.events, 'access.revoked', 'subscribe.expired'],
  },
  turnRenewal: { moves: [cancel], ends: 'active', charged: 1, events: [...begun, 'subscribe.cancelled.success'] },
  endSubscription: {
    moves: [cancel, pass(32)],
    ends: 'canceled',
    charged: 1,
    events: [...begun, 'subscribe.cancelled.success', ...ended],
  },
  restoreSubscription: {
    moves: [signal('revoked'), signal('restored')],
    ends: 'active',
    charged: 1,
    events: [...begun, ...ended, 'access.granted', 'subscribe.updated'],
  },
  planPause: { moves: [ask('pause')], ends: 'active', charged: 1, events: [...begun, 'subscribe.updated'] },
  extendPeriod: { moves: [extend, pass(32)], ends: 'active', charged: 1, events: [...begun, 'subscribe.updated'] },
  pauseSubscription: { moves: [ask('pause'), pass(32)], ends: 'paused', charged: 1, events: paused },
  priceResumption: {
    moves: [ask('pause'), pass(35), ask('resume')],
    ends: 'active',
    charged: 2,
    events: [...paused, 'access.granted', 'subscribe.renewed'],
  },
  priceSwitch: { moves: [switchTo('19.99')], ends: 'active', charged: 2, events: [...begun, 'subscribe.updated'] },
  switchPlan: { moves: [switchTo('19.99')], ends: 'active', charged: 2, events: [...begun, 'subscribe.updated'] },
  refuseChange: {
    card: cards.declinedAtRenewal,
    moves: [switchTo('19.99')],
    ends: 'active',
    charged: 1,
    events: begun,
  },
  changeCard: cardChanged,
  readRequests: failed,
  closeRequest: cardChanged,
  awaitDebit: { iban: accounts.paid, moves: [passPastEnd(1)], ends: 'active', charged: 1, events: debitPaid },
  failFirstDebit: {
    iban: accounts.failed,
    moves: [pass(6)],
    ends: 'expired',
    charged: 0,
    events: [...begun, 'access.revoked', 'subscribe.failed', 'subscribe.expired'],
  },
  returnDebit: {
    iban: accounts.returnedOnceAtRenewal,
    moves: [passPastEnd(2), pass(6), pass(11)],
    ends: 'past_due',
    charged: 2,
    events: [...debitPaid, 'subscribe.renewed', 'subscribe.past_due'],
  },
};

/** A run that catches up takes two of these steps without a request to the server in between. */
const renewedTwice: Path = {
  moves: [pass(64)],
  ends: 'active',
  charged: 3,
  events: [...renewed.events, 'subscribe.renewed'],
};

const points: [CrashPoint, number, Path][] = [
  ...lifeSteps.flatMap((step) =>
    pointsAround([step]).map((point): [CrashPoint, number, Path] => [point, 1, paths[step]]),
  ),
  ...pointsAround(['chargeNextPeriod']).map((point): [CrashPoint, number, Path] => [point, 2, renewedTwice]),
  // Between the begin of a period and its charge. The first call is the first payment.
  ...pointsAround(['provider.charge']).map((point): [CrashPoint, number, Path] => [point, 2, renewed]),
];

let lastSubmission: Promise<unknown> = Promise.resolve();

/** The API has one task queue: the cells take turns at it, until the run has begun. */
function submit(taskQueue: string, path: Path): Promise<Cell> {
  const submission = lastSubmission.then(async () => {
    const shop = await (path.iban ? createDebitShop(app, path.iban, { access: 'at_submission' }) : createShop(app));
    if (path.trial) await giveTrial(app, shop.fee.id, [7, 'day']);
    setTaskQueue(taskQueue);
    const { body } = await (path.iban ? subscribeByDebit(app, shop) : subscribe(app, shop, path.card));
    const workflow = temporal.client.workflow.getHandle(`subscription-${body.subscription_id}`);
    await until(() => workflow.describe().catch(() => undefined));
    return { shop, id: body.subscription_id };
  });
  lastSubmission = submission.catch(() => undefined);
  return submission;
}

async function play(cell: Cell, moves: Move[]): Promise<void> {
  for (const [index, move] of moves.entries()) {
    if (index > 0) await quiet(cell);
    await move(cell);
  }
}

/** Waits until all due steps are taken. Repeated while no worker answers. */
async function quiet({ shop, id }: Cell): Promise<string> {
  const { body } = await call<{ time: string }>(app, 'GET', '/test-clock', undefined, shop.merchant);
  // To the second: the two clocks are read one after the other.
  const time = new Date(Date.parse(body.time) - 5_000).toISOString();
  const { state } = await catchesUp(temporal.client, id, { time });
  return state;
}

describe('kill -9 of the worker, then another worker', () => {
  test.concurrent.each(points)('%s, time %i: charged as often as due, told once', async (point, nth, path) => {
    const taskQueue = `crash-${randomUUID()}`;
    const workflowBundle = process.env['WORKFLOW_BUNDLE'] ?? '';
    const child = await startProgram('crashingWorker', {
      TEMPORAL_TASK_QUEUE: taskQueue,
      WORKFLOW_BUNDLE: workflowBundle,
      DATABASE_POOL: '2',
      CRASH_AT: point,
      CRASH_AT_TIME: String(nth),
    });
    const cell = await submit(taskQueue, path);
    const played = begins(cell, path).then(() => play(cell, path.moves));
    expect(await child.ended).toBe('SIGKILL');

    const address = process.env['TEMPORAL_ADDRESS'] ?? '';
    const worker: RunningWorker = await startWorker({
      taskQueue,
      workflowBundle,
      address,
      namespace: 'default',
      activities,
    });
    await played;
    expect(await quiet(cell)).toBe(path.ends);
    await worker.stop();
    expect(await findFaults(app.pool, cell.id, path)).toEqual([]);
  });
});

const begins = ({ shop, id }: Cell, path: Path) => reaches(app, shop.consumer, id, path.trial ? 'trialing' : 'active');
