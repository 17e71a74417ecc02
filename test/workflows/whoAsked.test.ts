import { call, requestChange } from '../support/client';
import { auditOf } from '../support/followers';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';

/** Each step of a subscription names who requested it. Steps that others requested are in the merchant's audit log too. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

interface Step {
  actor: string;
  acted_by: string | null;
  reason: string;
}

async function stepsOf({ id }: SubscriptionScenario): Promise<Step[]> {
  const text = `SELECT e.actor, e.acted_by, e.reason FROM subscription_events e
    JOIN subscriptions s ON s.id = e.subscription_id WHERE s.token = $1 ORDER BY e.sequence`;
  return (await scenarios.app.pool.query<Step>(text, [id])).rows;
}

const deedsOf = async ({ shop, id }: SubscriptionScenario) =>
  (await auditOf(scenarios.app, shop.merchant)).filter(({ object_id: objectId }) => objectId === id);

test('200: what its owner changes names the owner, and is nothing for the merchant’s log', async () => {
  const scenario = await scenarios.subscribe();
  await scenario.cancel();
  const actor = `account:${scenario.shop.consumer.id}`;
  expect(await stepsOf(scenario)).toMatchObject([
    { actor, reason: 'submitted' },
    { actor: 'workflow', reason: 'first payment' },
    { actor, acted_by: null, reason: 'canceled at the period’s end' },
  ]);
  expect(await deedsOf(scenario)).toEqual([]);
});

test('200: what its merchant changes names the merchant, here and in the merchant’s log', async () => {
  const scenario = await scenarios.subscribe();
  const { merchant } = scenario.shop;
  await scenario.cancel({}, merchant);
  await requestChange(scenarios.app, 'POST', `/subscriptions/${scenario.id}/resume`, {}, merchant);
  const actor = `account:${merchant.id}`;
  expect((await stepsOf(scenario)).slice(2)).toMatchObject([{ actor }, { actor }]);
  const deed = { actor_account_id: merchant.id, object_type: 'subscription', request_id: expect.any(String) as string };
  expect(await deedsOf(scenario)).toMatchObject([
    { action: 'subscription.resume', ...deed },
    { action: 'subscription.cancel', ...deed },
  ]);
});

test('200: who acts as the customer is named beside it', async () => {
  const scenario = await scenarios.subscribe();
  const { merchant, consumer } = scenario.shop;
  const path = '/v2/accounts/impersonate';
  const fields = { customer_id: consumer.id };
  const { body } = await call<{ access_token: string }>(scenarios.app, 'POST', path, fields, merchant);
  await scenario.cancel({}, { token: body.access_token });
  expect((await stepsOf(scenario)).slice(2)).toMatchObject([
    { actor: `account:${consumer.id}`, acted_by: merchant.uuid },
  ]);
  expect(await deedsOf(scenario)).toMatchObject([
    { action: 'subscription.cancel', actor_account_id: consumer.id, acted_by: merchant.uuid },
  ]);
});

test('200: a deed of several steps is logged once, and one that is refused not at all', async () => {
  const scenario = await scenarios.subscribe();
  const { merchant } = scenario.shop;
  const ask = (what: string) =>
    requestChange(scenarios.app, 'POST', `/subscriptions/${scenario.id}/${what}`, {}, merchant);
  expect((await ask('retry')).status).toBe(409);
  await ask('pause');
  await scenario.advanceDays(31);
  expect((await ask('resume')).status).toBe(200);
  expect((await stepsOf(scenario)).slice(2)).toMatchObject([
    { actor: `account:${merchant.id}` },
    { actor: 'workflow' },
    { actor: `account:${merchant.id}` },
    { actor: `account:${merchant.id}` },
  ]);
  expect(await deedsOf(scenario)).toMatchObject([{ action: 'subscription.resume' }, { action: 'subscription.pause' }]);
});
