import { call } from '../support/client';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { paid, refund, withFee } from '../support/payments';
import { until } from '../support/until';

/** A refund and a dispute of one subscription in any order, and access that follows on it. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const signal = (scenario: SubscriptionScenario, name: 'revoked' | 'restored') =>
  scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`).signal(name, { reason: 'chargeback' });

const reaches = (scenario: SubscriptionScenario, status: string) =>
  until(async () => (await scenario.row()).status === status);

const lastReason = async (scenario: SubscriptionScenario) => {
  const text = `SELECT e.reason FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
    WHERE s.token = $1 ORDER BY e.sequence DESC LIMIT 1`;
  return (await scenarios.app.pool.query<{ reason: string }>(text, [scenario.id])).rows[0]?.reason;
};

const giveBack = (scenario: SubscriptionScenario) =>
  refund(scenarios.app, scenario.shop.merchant, `${scenario.id}-1-1`, { revoke_access: true, amount: '5' });

const refusal = 'not restored: its money was given back';

describe('the merchant has given the money back, and ended the access', () => {
  test('access.revoked: a dispute that is won afterwards does not bring it back', async () => {
    const scenario = await scenarios.subscribe();
    await giveBack(scenario);
    await reaches(scenario, 'revoked');
    await signal(scenario, 'revoked');
    await signal(scenario, 'restored');
    await until(async () => (await lastReason(scenario)) === refusal);
    expect(await scenario.hasAccess()).toBe(false);
  });

  test('access.revoked: nor does one that stood when the money was given back', async () => {
    const scenario = await scenarios.subscribe();
    await signal(scenario, 'revoked');
    await reaches(scenario, 'revoked');
    await giveBack(scenario);
    const text = `SELECT FROM refunds r JOIN charges c ON c.id = r.charge_id WHERE c.trx_token = $1 AND r.state = 'refunded'`;
    await until(async () => (await scenarios.app.pool.query(text, [`${scenario.id}-1-1`])).rows.length > 0);
    await signal(scenario, 'restored');
    await until(async () => (await lastReason(scenario)) === refusal);
    expect(await scenario.hasAccess()).toBe(false);
  });
});

test('access.granted: what was bought to follow on it follows on it again', async () => {
  const scenario = await scenarios.subscribe();
  const days = { access_type: 'ppv', quantity: 2, period: 'day' };
  await paid(scenarios.app, await withFee(scenarios.app, scenario.shop, days));
  const { item, consumer } = scenario.shop;
  const hoursLeft = async () => {
    const path = `/items/${item.id}/access`;
    const { body } = await call<{ expires_at: number }>(scenarios.app, 'GET', path, undefined, consumer);
    return Math.round((body.expires_at - Date.now() / 1000) / 3600);
  };
  const before = await hoursLeft();
  expect(before).toBeGreaterThan(29 * 24);
  await signal(scenario, 'revoked');
  await reaches(scenario, 'revoked');
  expect(await hoursLeft()).toBe(48);
  await signal(scenario, 'restored');
  await reaches(scenario, 'active');
  expect(await hoursLeft()).toBe(before);
});

test('access.granted: a word that is sent once more, after what followed on it, is heard once', async () => {
  const scenario = await scenarios.subscribe();
  const handle = scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`);
  const told = (word: string) => ({ id: `${scenario.id}:${word}`, atMs: Date.now(), reason: 'chargeback' });
  await handle.signal('revoked', told('revoked'));
  await reaches(scenario, 'revoked');
  await handle.signal('restored', told('restored'));
  await reaches(scenario, 'active');
  await handle.signal('revoked', told('revoked'));
  expect((await scenario.cancel()).status).toBe(200);
  expect(await scenario.row()).toMatchObject({ status: 'active', cancel_at_period_end: true });
});
