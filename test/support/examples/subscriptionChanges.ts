import { cards, createFee, createItem, reaches, subscribe, type Person } from '../factories';
import { call } from '../client';
import { createOffer, half } from '../cancelOffers';
import { beginAgain } from '../lostRuns';
import { subscriptionWorkflowId } from '../../../workflows/messages';
import { messagesAreSent, runsRest, watchRun } from '../restingRuns';
import { connectTemporal } from '../temporalClient';
import { type TestApp } from '../startApp';
import { changeCardOutcome } from '../scenarios';
import { until } from '../until';
import { customerFor, type World } from '../world';
import { type ExampleRequest, type Examples } from './example';

/**
 * A workflow decides on changes, so a worker runs for these examples, on a task queue of its own: what other examples
 * leave waiting stays as it is. Each file has one worker.
 */
const workers = new WeakMap<TestApp, Promise<string>>();

function work(app: TestApp): Promise<string> {
  const working = workers.get(app) ?? startApart(app);
  workers.set(app, working);
  return working;
}

async function startApart(app: TestApp): Promise<string> {
  const usual = process.env['TEMPORAL_TASK_QUEUE'] ?? '';
  const apart = `${usual}-changes`;
  process.env['TEMPORAL_TASK_QUEUE'] = apart;
  await app.startWorker();
  process.env['TEMPORAL_TASK_QUEUE'] = usual;
  return apart;
}

/** Ends the run of a subscription and starts another one from the row, on the task queue with the worker. */
async function moveRun({ app }: World, id: string): Promise<void> {
  const workflowId = subscriptionWorkflowId(id);
  await messagesAreSent(app.pool, [workflowId]);
  const temporal = await connectTemporal();
  await temporal.client.workflow.getHandle(workflowId).terminate();
  await beginAgain({ app, temporal }, id, await work(app));
  await temporal.close();
}

interface Begun {
  world: World;
  id: string;
}

/** Its charge waits for its payer. */
function isAsked({ pool }: TestApp, token: string) {
  const statement = `SELECT FROM charges c JOIN subscriptions s ON s.id = c.subscription_id
    WHERE s.token = $1 AND c.status = 'requires_action'`;
  return until(async () => (await pool.query(statement, [token])).rows.length > 0);
}

/** A running subscription of the caller's; of a new consumer's for a merchant and its staff. */
const begin = async (world: World, caller: Person, card?: string) =>
  beginFor(world, await customerFor(world, caller), card);

async function beginFor(world: World, consumer: Person, card: string = cards.success): Promise<Begun> {
  const item = await createItem(world.app, world.merchant);
  const theirs = { ...world, consumer, item, fee: await createFee(world.app, world.merchant, item.id) };
  const { body } = await subscribe(world.app, theirs, card);
  await moveRun(theirs, body.subscription_id);
  watchRun(world.app.pool, subscriptionWorkflowId(body.subscription_id));
  if (card === cards.needsAuthentication) await isAsked(world.app, body.subscription_id);
  else await reaches(world.app, consumer, body.subscription_id, 'active');
  return { world: theirs, id: body.subscription_id };
}

const running =
  (rest: ExampleRequest = {}) =>
  async (world: World, caller: Person) => ({ params: { id: (await begin(world, caller)).id }, ...rest });

/** A subscription in past_due whose card succeeds at the next attempt. Its row is moved, so that no other time passes. */
async function overdue(world: World, caller: Person): Promise<ExampleRequest> {
  const { world: theirs, id } = await begin(world, caller, cards.declinedAtRenewal);
  const { app, consumer, merchant } = theirs;
  // Another example may have set no days of grace, and then the subscription would be on hold at once.
  await call(app, 'PUT', '/accounts/settings', { grace_days: 7 }, merchant);
  const elapsed = `UPDATE subscriptions SET anchor_at = anchor_at - interval '32 days',
    current_period_start = current_period_start - interval '32 days',
    current_period_end = current_period_end - interval '32 days' WHERE token = $1`;
  // The row moves while its run does nothing.
  await runsRest(app.pool);
  await app.pool.query(elapsed, [id]);
  await moveRun(theirs, id);
  await reaches(app, consumer, id, 'past_due');
  await changeCardOutcome(app, { id }, 'success');
  return { params: { id } };
}

/** A first payment that waits for its payer. */
async function unconfirmed(world: World, caller: Person): Promise<ExampleRequest> {
  const { id } = await begin(world, caller, cards.needsAuthentication);
  return { params: { id } };
}

async function canceled(world: World, caller: Person): Promise<ExampleRequest> {
  const { world: theirs, id } = await begin(world, caller);
  await call(theirs.app, 'DELETE', `/subscriptions/${id}`, {}, theirs.consumer);
  return { params: { id } };
}

const dearer = async ({ app, merchant, item }: World) =>
  (await createFee(app, merchant, item.id, { amount: '19.99' })).id;

async function switching(world: World, caller: Person) {
  const { world: theirs, id } = await begin(world, caller);
  return { params: { id }, body: { access_fee_id: await dearer(theirs) } };
}

/** A running subscription whose merchant has an offer. */
async function withOffer(world: World, caller: Person): Promise<Begun> {
  const begun = await beginFor(world, caller);
  const { app, merchant, item } = begun.world;
  await createOffer(app, merchant, { ...half, item_id: item.id });
  return begun;
}

const ownId = { 'params.id': 'account' } as const;

async function cancelTokenOf(id: string): Promise<string> {
  return (await import('../../../src/subscriptions/cancelTokens.js')).cancelTokenOf(id);
}

export const subscriptionChangeExamples: Examples = {
  cancelByUnsubscribeUrl: {
    request: async (world, caller) => {
      const { id } = await begin(world, caller);
      return { params: { token: `${id}.${await cancelTokenOf(id)}` } };
    },
    owned: { 'params.token': 'account' },
  },
  cancelByToken: {
    request: async (world, caller) => {
      const { id } = await begin(world, caller);
      return { params: { id, cancel_token: await cancelTokenOf(id) } };
    },
    owned: ownId,
    unowned: { 'params.cancel_token': 'unguessable: the record of the subscription shows it' },
  },
  submitCancelByToken: {
    request: async (world, caller) => {
      const { id } = await begin(world, caller);
      return { params: { id, cancel_token: await cancelTokenOf(id) } };
    },
    owned: ownId,
    unowned: { 'params.cancel_token': 'unguessable: the record of the subscription shows it' },
  },
  cancelSubscription: { request: running({ body: { at: 'period_end', reason: 'Too dear' } }), owned: ownId },
  resumeSubscription: { request: canceled, owned: ownId },
  pauseSubscription: { request: running({ body: {} }), owned: ownId },
  extendSubscription: { request: running({ body: { days: 7 } }), owned: ownId },
  retryPayment: { request: overdue, owned: ownId },
  changePaymentMethod: {
    request: async (world, caller) => ({
      params: { id: (await beginFor(world, caller)).id },
      body: { payment_method: 1 },
    }),
    owned: ownId,
  },
  switchPlan: { request: switching, owned: { ...ownId, 'body.access_fee_id': 'merchant' } },
  switchPlanV2: {
    request: async (world, caller) => {
      const { params, body } = await switching(world, caller);
      return { body: { ...body, inplayer_token: params.id } };
    },
    owned: { 'body.inplayer_token': 'account', 'body.access_fee_id': 'merchant' },
  },
  listCancelOffers: { request: () => ({}) },
  createCancelOffer: [
    {
      request: async ({ app, merchant }) => {
        const item = await createItem(app, merchant);
        const fee = await createFee(app, merchant, item.id);
        return { body: { kind: 'plan', item_id: item.id, access_fee_id: fee.id, reason: 'too_expensive' } };
      },
      owned: { 'body.item_id': 'merchant', 'body.access_fee_id': 'merchant' },
    },
    {
      request: async ({ app, merchant }) => ({ body: { ...half, item_id: (await createItem(app, merchant)).id } }),
      owned: { 'body.item_id': 'merchant' },
    },
    {
      request: async ({ app, merchant }) => {
        const { id } = await createItem(app, merchant);
        return { body: { kind: 'pause', pause_months: 2, item_id: id } };
      },
      owned: { 'body.item_id': 'merchant' },
    },
  ],
  endCancelOffer: {
    request: async ({ app, merchant }) => {
      const item = await createItem(app, merchant);
      return { params: { id: (await createOffer(app, merchant, { ...half, item_id: item.id })).body.id } };
    },
    owned: { 'params.id': 'merchant' },
  },
  makeCancelOffer: {
    request: async (world, caller) => ({
      params: { id: (await withOffer(world, caller)).id },
      body: { reason: 'too_expensive' },
    }),
    owned: ownId,
  },
  acceptCancelOffer: {
    request: async (world, caller) => {
      const { world: theirs, id } = await withOffer(world, caller);
      const path = `/v2/subscriptions/${id}/cancel-offer`;
      const { body } = await call<{ offer_id: number }>(theirs.app, 'POST', path, {}, theirs.consumer);
      return { params: { id }, body: { offer_id: body.offer_id } };
    },
    owned: { ...ownId, 'body.offer_id': 'account' },
  },
  previewSwitch: { request: switching, owned: { ...ownId, 'body.access_fee_id': 'merchant' } },
  getAuthentication: { request: unconfirmed, owned: ownId },
  getTestClock: { request: () => ({}) },
  moveTestClock: { request: () => ({ body: { advance: 60 } }) },
};
