import { listen, requestChange } from '../support/client';
import { cards } from '../support/factories';
import { chargesOf, eventsOf } from '../support/ledger';
import { bankPath } from '../support/payer';
import { changeCardOutcome, startScenarios, type Scenarios } from '../support/scenarios';
import { until } from '../support/until';

/** A pause from the end of the paid period on. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

test('subscribe.updated: paused at the period’s end, and resumed with a period of its own', async () => {
  const scenario = await scenarios.subscribe();
  expect((await scenario.request('pause')).status).toBe(200);
  expect(await scenario.row()).toMatchObject({ status: 'active', pauses_at_period_end: true });
  expect(await scenario.hasAccess()).toBe(true);
  const paused = await scenario.advanceDays(40);
  expect(paused).toMatchObject({ status: 'paused', action_type: 'paused' });
  expect(await scenario.hasAccess()).toBe(false);
  expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(1);
  expect((await scenario.request('resume')).status).toBe(200);
  const row = await scenario.row();
  expect(row).toMatchObject({ status: 'active' });
  expect(row.current_period_start).toBeGreaterThan(paused.current_period_end + 8 * 86_400);
  expect(await scenario.hasAccess()).toBe(true);
  expect((await eventsOf(scenarios.app, scenario.id)).slice(-4)).toEqual([
    'access.revoked',
    'subscribe.updated',
    'access.granted',
    'subscribe.renewed',
  ]);
});

test('subscribe.renewed: it goes on by itself on the day that was set', async () => {
  const scenario = await scenarios.subscribe();
  const { current_period_end: endsAt } = await scenario.row();
  const resumesAt = endsAt + 10 * 86_400;
  await scenario.request('pause', { resumes_at: resumesAt });
  expect((await scenario.advanceDays(35)).status).toBe('paused');
  expect(await scenario.advanceDays(10)).toMatchObject({ status: 'active', current_period_start: resumesAt });
});

test('402 payment_failed: without the money the pause goes on', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  await scenario.request('pause');
  await scenario.advanceDays(35);
  expect(await scenario.request('resume')).toMatchObject({ status: 402, body: { error: 'payment_failed' } });
  expect(await scenario.row()).toMatchObject({ status: 'paused' });
  expect(await scenario.request('resume')).toMatchObject({ status: 402 });
  expect((await chargesOf(scenarios.app, scenario.id)).map(({ cycle, status }) => [cycle, status])).toEqual([
    [1, 'paid'],
    [2, 'declined'],
    [3, 'declined'],
  ]);
});

describe('with a card that asks for an authentication', () => {
  async function paused() {
    const scenario = await scenarios.subscribe();
    await scenario.request('pause');
    expect(await scenario.advanceDays(35)).toMatchObject({ status: 'paused' });
    await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
    return scenario;
  }

  test('202: the subscriber authenticates the charge, and then the pause ends', async () => {
    const scenario = await paused();
    const channel = await listen(scenarios.app, scenario.shop.consumer);
    expect((await scenario.send('POST', `/subscriptions/${scenario.id}/resume`)).status).toBe(202);
    const { resource } = await channel.hears('subscribe.requires.action');
    await channel.close();
    expect(resource).toMatchObject({ subscription_id: scenario.id });
    expect(await scenario.row()).toMatchObject({ status: 'paused' });
    await scenario.send('POST', await bankPath(scenario), { answer: 'approved' });
    await until(async () => (await scenario.row()).status === 'active');
    expect((await chargesOf(scenarios.app, scenario.id)).map(({ status }) => status)).toEqual(['paid', 'paid']);
  });

  test('402 payment_failed: a merchant cannot authenticate, so the pause goes on', async () => {
    const { id, shop, row } = await paused();
    const reply = await requestChange(scenarios.app, 'POST', `/subscriptions/${id}/resume`, undefined, shop.merchant);
    expect([reply.status, reply.body]).toMatchObject([402, { error: 'payment_failed' }]);
    expect(await row()).toMatchObject({ status: 'paused' });
    expect(await eventsOf(scenarios.app, id)).not.toContain('subscribe.requires.action');
  });
});

test('200: a planned pause is taken back', async () => {
  const scenario = await scenarios.subscribe();
  await scenario.request('pause');
  expect((await scenario.request('resume')).status).toBe(200);
  expect(await scenario.row()).toMatchObject({ pauses_at_period_end: false });
  expect(await scenario.advanceDays(32)).toMatchObject({ status: 'active' });
});

test('subscribe.renewed: what the merchant has taken away is not told as given, though it is paid on', async () => {
  const scenario = await scenarios.subscribe();
  const text = 'UPDATE accesses SET revoked_at = now() WHERE account_id = $1';
  await scenarios.app.pool.query(text, [scenario.shop.consumer.id]);
  await scenario.request('pause');
  await scenario.advanceDays(32);
  await scenario.request('resume');
  const events = await eventsOf(scenarios.app, scenario.id);
  expect(events.filter((type) => type === 'access.granted' || type === 'subscribe.renewed')).toEqual([
    'access.granted',
    'subscribe.renewed',
  ]);
  expect(await scenario.hasAccess()).toBe(false);
});
