import { cards } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { startScenarios, type Scenarios } from '../../support/scenarios';

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

test('202: the run does not answer in time; the change follows, and the answer has its Location', async () => {
  const scenario = await scenarios.subscribe();
  const { status, body, headers } = await scenario.request('retry');
  const url = `/subscriptions/${scenario.id}`;
  expect([status, body]).toMatchObject([202, { code: 202, subscription_id: scenario.id, status: 'pending', url }]);
  expect(headers.get('location')).toBe(url);
});

describe('with a worker', () => {
  let working: Scenarios;

  beforeAll(async () => (working = await scenarios.startWorker()));

  test('200: what is overdue is paid now', async () => {
    const scenario = await working.subscribe(cards.declinedOnceAtRenewal);
    const { current_period_end: endsAt } = await scenario.row();
    const { status } = await scenario.advanceDays((endsAt - Date.now() / 1000) / 86_400 + 0.1);
    expect(status).toBe('past_due');
    expect((await scenario.request('retry')).status).toBe(200);
    expect(await scenario.row()).toMatchObject({ status: 'active', current_period_start: endsAt });
  });

  test('402 payment_failed: declined once more', async () => {
    const scenario = await working.subscribe(cards.declinedAtRenewal);
    await scenario.advanceDays(33);
    const { status, body } = await scenario.request('retry');
    expect([status, body]).toMatchObject([402, { errors: { payment: 'Your card was declined.' } }]);
  });

  test('429 too_many_requests: the card was declined eight times; no charge is sent before the time in the answer', async () => {
    const scenario = await working.subscribe(cards.declinedAtRenewal);
    await scenario.advanceDays(32);
    const sent = async () => {
      const declined = (await chargesOf(working.app, scenario.id)).filter(({ status }) => status === 'declined');
      return declined.length;
    };
    for (let count = await sent(); count < 8; count += 1) expect((await scenario.request('retry')).status).toBe(402);
    const { status, body, headers } = await scenario.request('retry');
    expect([status, body]).toMatchObject([429, { explain: expect.stringMatching(/from \d{4}-/) as string }]);
    const retryAfterSeconds = Number(headers.get('retry-after'));
    expect(retryAfterSeconds).toBeGreaterThan(25 * 86_400);
    expect(retryAfterSeconds).toBeLessThanOrEqual(30 * 86_400);
    expect(await sent()).toBe(8);
  });

  test('402 payment_failed: a card that was reported lost is not charged again, however often the customer asks', async () => {
    const scenario = await working.subscribe(cards.lostAtRenewal);
    await scenario.advanceDays(32);
    const before = await chargesOf(working.app, scenario.id);
    const { status, body } = await scenario.request('retry');
    expect([status, body]).toMatchObject([402, { errors: { payment: 'Your card was reported lost.' } }]);
    expect(await chargesOf(working.app, scenario.id)).toEqual(before);
  });

  test('404 subscription_not_found: another consumer’s', async () => {
    const [scenario, other] = [await working.subscribe(), await working.subscribe()];
    expect((await scenario.send('POST', `/subscriptions/${other.id}/retry`)).status).toBe(404);
  });

  test('409 subscription_state: nothing is open', async () => {
    const scenario = await working.subscribe();
    expect(await scenario.request('retry')).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  });
});
