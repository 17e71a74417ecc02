import { randomUUID } from 'node:crypto';
import { type Activities } from '../../activities';
import { type startWorker as startWorkerType, type RunningWorker } from '../../workers/worker';
import { bundleTimeLapse } from '../support/bundles';
import { startProgram } from '../support/childProcess';
import { paymentSteps, pointsAround, type CrashPoint, type CrashStep } from '../support/crashPoints';
import { accounts, createDebitShop, payByDebit } from '../support/debits';
import { cards, type Shop } from '../support/factories';
import { createPayShop, findPaymentFaults, pay, refund, refundCards } from '../support/payments';
import { installQuietRuntime } from '../support/quietRuntime';
import { answerPage, buy, createRedirectShop, type PageAnswer } from '../support/redirects';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/** The worker is killed around each step of a payment and a refund, and another one continues. Each effect happens once. */

interface Path {
  card: string;
  /** A direct debit instead of the card, whose access begins at submission. */
  iban?: string;
  /** The payment's state, or its refund's. */
  ends: 'paid' | 'failed' | 'refunded';
  isRefund?: true;
  /** The payer pays, or refuses, on another page. */
  page?: { method: 'ideal' | 'paypal'; answer: PageAnswer };
  /** An hour passes in a millisecond. */
  isLapsed?: true;
}

const success: Path = { card: cards.success, ends: 'paid' };
const lost: Path = { card: cards.timeoutAfterCharging, ends: 'paid' };
const unanswered: Path = { card: cards.needsAuthentication, ends: 'failed', isLapsed: true };
const refunded: Path = { card: cards.success, ends: 'refunded', isRefund: true };
const lostRefund: Path = { card: refundCards.timeoutAfterRefunding, ends: 'refunded', isRefund: true };

/** What reaches each step. Charges are the same as those of a subscription, in another workflow. */
const paths = {
  chargeCycle: success,
  lookUpCharge: lost,
  voidCharge: unanswered,
  completePayment: success,
  openPayment: { card: '', iban: accounts.paid, ends: 'paid' },
  failPayment: { card: cards.declined, ends: 'failed' },
  sendRefund: refunded,
  lookUpRefund: lostRefund,
  'provider.charge': success,
  'provider.refund': refunded,
  'provider.lookUpRefund': lostRefund,
} as const satisfies Partial<Record<CrashStep, Path>>;

const onPage = (method: 'ideal' | 'paypal', answer: PageAnswer): Path => ({
  card: '',
  page: { method, answer },
  ends: answer === 'refused' ? 'failed' : 'paid',
});

/** What reaches the steps of a payment on another page. The first charge asks for the page, and the second one ends it. */
const pagePaths: [CrashStep, Path][] = [
  ['chargeCycle', onPage('ideal', 'approved')],
  ['provider.charge', onPage('ideal', 'approved')],
  ['provider.charge', onPage('paypal', 'approved')],
  ['completePayment', onPage('ideal', 'approved')],
  ['completePayment', onPage('paypal', 'approved')],
  ['failPayment', onPage('ideal', 'refused')],
];

const steps = Object.keys(paths) as (keyof typeof paths)[];
const titleOf = (point: CrashPoint, { page }: Path) => (page ? `${point}, by ${page.method}` : point);

const pathList: [CrashStep, Path][] = [...steps.map((step): [CrashStep, Path] => [step, paths[step]]), ...pagePaths];
const cells = pathList.flatMap(([step, path]) =>
  pointsAround([step]).map((point): [string, CrashPoint, Path] => [titleOf(point, path), point, path]),
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

test('every step has its points in the table', () => {
  expect(steps).toEqual(expect.arrayContaining([...paymentSteps]));
});

/** Each cell has a task queue of its own, so that its workers meet no other cell's payment. */
interface Cell {
  taskQueue: string;
  workflowBundle: string;
}

let lastTurn: Promise<unknown> = Promise.resolve();

/** The API has one task queue. A cell uses it until its workflow has started. */
function inTurn<T>({ taskQueue }: Cell, submit: () => Promise<T>): Promise<T> {
  const turn = lastTurn.then(async () => {
    setTaskQueue(taskQueue);
    const submitted = await submit();
    // Messages that the request left to the relay are sent with the same task queue.
    await until(async () => (await app.pool.query('SELECT FROM outbox')).rowCount === 0);
    return submitted;
  });
  lastTurn = turn.catch(() => undefined);
  return turn;
}

const startHealthy = (cell: Cell): Promise<RunningWorker> =>
  startWorker({ ...cell, address: process.env['TEMPORAL_ADDRESS'] ?? '', namespace: 'default', activities });

const debitShop = { access: 'at_submission', fee: { access_type: 'ppv', quantity: 60, period: 'day' } } as const;

function createShopFor({ iban, page }: Path): Promise<Shop> {
  if (page) return createRedirectShop(app, 'payment');
  return iban ? createDebitShop(app, iban, debitShop) : createPayShop(app);
}

async function payAt(cell: Cell, shop: Shop, { card, iban, page }: Path): Promise<string> {
  const submit = () => {
    if (page) return buy(app, shop, 'payment', { payment_method: page.method });
    return iban ? payByDebit(app, shop) : pay(app, shop, card);
  };
  return (await inTurn(cell, submit)).body.transaction;
}

async function payWhole(cell: Cell, shop: Shop, path: Path): Promise<string> {
  const worker = await startHealthy(cell);
  const token = await payAt(cell, shop, path);
  await getsTo(`payment-${token}`, 'paid');
  await worker.stop();
  return token;
}

describe('kill -9 of the worker, then another worker', () => {
  test.concurrent.each(cells)(
    '%s: charged and given back as often as asked, told once',
    async (_title, point, path) => {
      const workflowBundle = path.isLapsed ? timeLapse : (process.env['WORKFLOW_BUNDLE'] ?? '');
      const cell = { taskQueue: `crash-${randomUUID()}`, workflowBundle };
      const shop = await createShopFor(path);
      const before = path.isRefund && (await payWhole(cell, shop, path));

      const child = await startProgram('crashingWorker', {
        TEMPORAL_TASK_QUEUE: cell.taskQueue,
        WORKFLOW_BUNDLE: workflowBundle,
        DATABASE_POOL: '2',
        CRASH_AT: point,
      });
      const token = before ?? (await payAt(cell, shop, path));
      if (path.isRefund) await inTurn(cell, () => refund(app, shop.merchant, token, { revoke_access: true }));
      const answered = path.page && answerPage(app, token, path.page.answer);
      expect(await child.ended).toBe('SIGKILL');

      const worker = await startHealthy(cell);
      if (path.iban) await passDays(app, shop.merchant, 6);
      await answered;
      await getsTo(path.isRefund ? await refundIdOf(token) : `payment-${token}`, path.ends);
      await worker.stop();
      expect(await findPaymentFaults(app.pool, token)).toEqual([]);
    },
  );
});

async function refundIdOf(transaction: string): Promise<string> {
  const text = 'SELECT r.token FROM refunds r JOIN charges c ON c.id = r.charge_id WHERE c.trx_token = $1';
  const { rows } = await app.pool.query<{ token: string }>(text, [transaction]);
  return `refund-${rows[0]?.token}`;
}

/** The row may be written before the crash: only the workflow knows when the step is behind it. */
const getsTo = (workflowId: string, state: string) =>
  until(async () => {
    const { searchAttributes } = await temporal.client.workflow.getHandle(workflowId).describe();
    return searchAttributes['PaywallState']?.[0] === state;
  });
