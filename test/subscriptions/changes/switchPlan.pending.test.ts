import { giveCredit } from '../../support/balances';
import { call } from '../../support/client';
import { cards, createFee, createShop, reaches, subscribe, type Shop } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { giveTrial } from '../../support/scenarios';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** A plan change that waits for a worker costs no more than the customer was shown. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

interface Waiting {
  shop: Shop;
  id: string;
  feeId: number;
}

/** A subscription for 9.99, and a plan for 19.99 without a trial. The worker that began the subscription has stopped. */
async function createWaiting(trial?: [number, string]): Promise<Waiting> {
  const worker = await app.startWorker();
  const shop = await createShop(app);
  const { id: feeId } = await createFee(app, shop.merchant, shop.item.id, { amount: '19.99' });
  if (trial) await giveTrial(app, shop.fee.id, trial);
  const { body } = await subscribe(app, shop, cards.success);
  await reaches(app, shop.consumer, body.subscription_id, trial ? 'trialing' : 'active');
  await worker.stop();
  return { shop, id: body.subscription_id, feeId };
}

const change = ({ shop, id, feeId }: Waiting, expected?: string) => {
  const fields = { access_fee_id: feeId, mode: 'reset', ...(expected && { expected_amount: expected }) };
  const headers = { 'Idempotency-Key': `change-${id}` };
  return call(app, 'POST', `/subscriptions/${id}/switch`, fields, { ...shop.consumer, headers });
};

/** Accepted, or not reached in time. The client repeats the request. */
const isUndecided = (status: number) => status === 202 || status === 503;

/** Starts a worker, and repeats the request with its key until the outcome is known. */
async function outcomeOf(waiting: Waiting, expected?: string) {
  const worker = await app.startWorker();
  const { status, body } = await until(async () => {
    const reply = await change(waiting, expected);
    return !isUndecided(reply.status) && reply;
  });
  await worker.stop();
  return [status, body];
}

const amounts = async ({ id }: Waiting) => (await chargesOf(app, id)).map(({ amount }) => amount);
const plan = async ({ id }: Waiting) => {
  const text = 'SELECT access_fee_id AS "feeId" FROM subscriptions WHERE token = $1';
  return (await app.pool.query<{ feeId: number }>(text, [id])).rows[0]?.feeId;
};
const setPrice = (feeId: number, minor: number) =>
  app.pool.query('UPDATE access_fees SET amount_minor = $2 WHERE id = $1', [feeId, minor]);
const dear = (amount: number) => [409, { error: 'price_changed', total: { amount, currency: 'EUR' } }];

test('409 price_changed: the fee is raised while the change waits for a worker, and nothing is charged', async () => {
  const waiting = await createWaiting();
  expect((await change(waiting, '10.00')).status).toBe(202);
  await setPrice(waiting.feeId, 2000);
  expect(await outcomeOf(waiting, '10.00')).toMatchObject(dear(10.01));
  expect([await amounts(waiting), await plan(waiting)]).toEqual([[999], waiting.shop.fee.id]);
});

test('409 price_changed: a debt is added while the change waits, and nothing is charged', async () => {
  const waiting = await createWaiting();
  expect((await change(waiting, '10.00')).status).toBe(202);
  await giveCredit(app, waiting.shop.consumer.id, -1);
  expect(await outcomeOf(waiting, '10.00')).toMatchObject(dear(10.01));
  expect([await amounts(waiting), await plan(waiting)]).toEqual([[999], waiting.shop.fee.id]);
});

test('409 price_changed: the change ends a trial, and its first period costs more than was shown', async () => {
  const waiting = await createWaiting([7, 'day']);
  expect((await change(waiting, '19.99')).status).toBe(202);
  await setPrice(waiting.feeId, 2000);
  expect(await outcomeOf(waiting, '19.99')).toMatchObject(dear(20));
  expect([await amounts(waiting), await plan(waiting)]).toEqual([[], waiting.shop.fee.id]);
});

test('200: a waiting change that costs the shown amount or less takes place', async () => {
  const waiting = await createWaiting();
  expect((await change(waiting, '10.00')).status).toBe(202);
  await giveCredit(app, waiting.shop.consumer.id, 100);
  expect((await outcomeOf(waiting, '10.00'))[0]).toBe(200);
  expect([await amounts(waiting), await plan(waiting)]).toEqual([[999, 900], waiting.feeId]);
});

test('200: without expected_amount a waiting change has the price of the time of the charge', async () => {
  const waiting = await createWaiting();
  expect((await change(waiting)).status).toBe(202);
  await setPrice(waiting.feeId, 2000);
  expect((await outcomeOf(waiting))[0]).toBe(200);
  expect(await amounts(waiting)).toEqual([999, 1001]);
});
