import { cards } from '../support/factories';
import { chargesOf, mailsTo, takenFor } from '../support/ledger';
import { loseRun } from '../support/lostRuns';
import {
  changeCardOutcome,
  connectAccount,
  startScenarios,
  type SubscriptionScenario,
  type Scenarios,
} from '../support/scenarios';
import { until } from '../support/until';

/** A charge waits for its provider. The run that knows that nothing was sent may be lost, or the subscription revoked. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

/** A renewal whose charge the provider has refused, for a day. */
async function waiting(): Promise<SubscriptionScenario> {
  const scenario = await scenarios.subscribe(cards.misconfiguredAtRenewal);
  const { current_period_end: endsAt } = await scenario.row();
  await scenario.advanceDays((endsAt - Date.now() / 1000) / 86_400 + 1);
  expect(await statesOf(scenario)).toEqual(['paid', 'open']);
  return scenario;
}

const statesOf = async ({ id }: SubscriptionScenario) =>
  (await chargesOf(scenarios.app, id)).map(({ status }) => status);

/** A worker sends the charge of the second cycle. It is killed before it can save the answer, and the run is lost. */
async function loseRunThatCharges(scenario: SubscriptionScenario): Promise<void> {
  await changeCardOutcome(scenarios.app, scenario, 'success');
  const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
  const text = `SELECT c.idempotency_key AS "idempotencyKey", k.token, c.amount_minor::int AS "amountMinor", c.currency
    FROM charges c JOIN subscriptions s ON s.id = c.subscription_id JOIN cards k ON k.id = c.card_id
    WHERE s.token = $1 AND c.cycle = 2`;
  const { rows } = await scenarios.app.pool.query<Parameters<typeof cardProvider.charge>[0]>(text, [scenario.id]);
  const [charge] = rows;
  if (!charge) throw new Error('there is no charge');
  const sent = await cardProvider.charge({ ...charge, description: 'Subscription', isOffSession: true });
  expect(sent.outcome).toBe('paid');
  await loseRun(scenarios, scenario);
}

/** A run gives the charge of the second cycle up for a message, and is lost before it records the message. */
async function loseRunThatGivesUp(scenario: SubscriptionScenario, reason = 'withdrawn'): Promise<void> {
  const { voidCharge } = await import('../../src/subscriptions/charges/charges.js');
  const { rows } = await scenarios.app.pool.query<{ id: number }>(
    'SELECT id::int FROM subscriptions WHERE token = $1',
    [scenario.id],
  );
  const [row] = rows;
  if (!row) throw new Error('there is no subscription');
  await voidCharge({ subscriptionId: row.id, cycle: 2, attempt: 1, unsent: 'withdrawn' });
  expect(await statesOf(scenario)).toEqual(['paid', 'declined']);
  const text = `UPDATE charges SET decline_reason = $2 WHERE subscription_id = $1 AND status = 'declined'`;
  await scenarios.app.pool.query(text, [row.id, reason]);
  await loseRun(scenarios, scenario);
}

/** A renewal waits for an account that is not connected. The run is lost that knows that nothing was sent. */
async function doubtful(): Promise<SubscriptionScenario> {
  const scenario = await scenarios.subscribe(cards.success);
  const { current_period_end: endsAt } = await scenario.row();
  await connectAccount(scenarios.app, scenario, false);
  await scenario.advanceDays((endsAt - Date.now() / 1000) / 86_400 + 1);
  expect(await statesOf(scenario)).toEqual(['paid', 'open']);
  await loseRun(scenarios, scenario);
  return scenario;
}

/** How often the provider is asked to give a charge up. */
async function countQuestions(during: () => Promise<unknown>): Promise<number> {
  const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
  const provider = { ...cardProvider };
  let questions = 0;
  cardProvider.voidCharge = (...of) => {
    questions += 1;
    return provider.voidCharge(...of);
  };
  await during().finally(() => Object.assign(cardProvider, provider));
  return questions;
}

const cancel = async (scenario: SubscriptionScenario) => {
  expect((await scenario.send('DELETE', `/subscriptions/${scenario.id}`, {})).status).toBe(200);
  await reaches(scenario, 'canceled');
};

const signal = (scenario: SubscriptionScenario, name: string) =>
  scenarios.temporal.client.workflow.getHandle(`subscription-${scenario.id}`).signal(name, {});

const reaches = (scenario: SubscriptionScenario, status: string) =>
  until(async () => (await scenario.row()).status === status);

test('subscribe.renewed: a lost run had sent the charge; a cancellation keeps the paid period', async () => {
  const scenario = await waiting();
  await loseRunThatCharges(scenario);
  expect((await scenario.send('DELETE', `/subscriptions/${scenario.id}`, {})).status).toBe(200);
  await until(async () => (await scenario.row()).cancel_at_period_end);
  expect(await scenario.row()).toMatchObject({ status: 'active' });
  expect(await statesOf(scenario)).toEqual(['paid', 'paid']);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
});

test('subscribe.renewed: a lost run had sent the charge; a new card is not charged for the same period', async () => {
  const scenario = await waiting();
  await loseRunThatCharges(scenario);
  const card = { number: '4111111111111111', card_name: 'Ana', exp_month: 1, exp_year: 2041, cvv: 123 };
  await scenario.send('PUT', '/v2/payments/cards/default', { ...card, currency_iso: 'EUR' });
  await scenario.advanceDays(0.001);
  expect(await statesOf(scenario)).toEqual(['paid', 'paid']);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
});

test('subscribe.expired: a lost run had sent nothing; a cancellation ends the subscription, and nothing is charged', async () => {
  const scenario = await waiting();
  await loseRun(scenarios, scenario);
  await cancel(scenario);
  expect(await statesOf(scenario)).toEqual(['paid', 'declined']);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(1);
});

test('subscribe.renewed: a lost run had given the charge up; the next attempt waits on, and its payer is not dunned', async () => {
  const scenario = await waiting();
  await loseRunThatGivesUp(scenario);
  expect(await scenario.advanceDays(0.1)).toMatchObject({ status: 'active', failure_reason: '' });
  expect(await statesOf(scenario)).toEqual(['paid', 'declined', 'open']);
  await changeCardOutcome(scenarios.app, scenario, 'success');
  expect(await scenario.advanceDays(0.1)).toMatchObject({ status: 'active', failure_reason: '' });
  expect(await statesOf(scenario)).toEqual(['paid', 'declined', 'paid']);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
  expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).not.toContain('payment_failed');
});

test.each(['provider_silent', 'debit_given_up'])(
  'subscribe.renewed: the provider may have the charge that a lost run gave up (%s); the next attempt comes later',
  async (reason) => {
    const scenario = await waiting();
    await loseRunThatGivesUp(scenario, reason);
    await changeCardOutcome(scenarios.app, scenario, 'success');
    expect(await scenario.advanceDays(0.1)).toMatchObject({ status: 'active', failure_reason: '' });
    expect(await statesOf(scenario)).toEqual(['paid', 'declined']);
    expect(await scenario.advanceDays(0.1)).toMatchObject({ status: 'active', failure_reason: '' });
    expect(await statesOf(scenario)).toEqual(['paid', 'declined', 'paid']);
    expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
    expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).not.toContain('payment_failed');
  },
);

test('subscribe.renewed: a run is lost while its account is not connected; the charge waits on, and its payer is not dunned', async () => {
  const scenario = await doubtful();
  const { current_period_start: startsAt } = await scenario.row();
  expect(await scenario.advanceDays(1)).toMatchObject({ status: 'active', failure_reason: '' });
  expect((await scenario.request('retry')).status).toBe(402);
  expect(await statesOf(scenario)).toEqual(['paid', 'open']);
  await connectAccount(scenarios.app, scenario, true);
  const paid = await scenario.advanceDays(0.1);
  expect(paid).toMatchObject({ status: 'active', current_period_start: startsAt });
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
  expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(['receipt', 'receipt']);
});

test('subscribe.expired: once the account answers that nothing was sent, a cancellation asks nothing more', async () => {
  const scenario = await doubtful();
  await scenario.advanceDays(0.1);
  await connectAccount(scenarios.app, scenario, true);
  await changeCardOutcome(scenarios.app, scenario, 'misconfigured_at_renewal');
  await scenario.advanceDays(0.1);
  expect(await countQuestions(() => cancel(scenario))).toBe(0);
  expect(await statesOf(scenario)).toEqual(['paid', 'declined']);
});

test('subscribe.expired: a run that continues as a new one still knows that nothing was sent; the provider is not asked', async () => {
  const scenario = await scenarios.subscribe(cards.misconfiguredAtRenewal, { fee: { quantity: 1, period: 'hour' } });
  await scenario.advanceDays(2 / 24);
  expect(await statesOf(scenario)).toEqual(['paid', 'open']);
  expect(await countQuestions(() => cancel(scenario))).toBe(0);
});

test('subscribe.renewed: a subscription that is revoked and restored still waits, and its payer is not dunned', async () => {
  const scenario = await waiting();
  await signal(scenario, 'revoked');
  await reaches(scenario, 'revoked');
  expect(await statesOf(scenario)).toEqual(['paid', 'declined']);
  await signal(scenario, 'restored');
  await reaches(scenario, 'active');
  expect(await scenario.advanceDays(0.1)).toMatchObject({ status: 'active', failure_reason: '' });
  expect(await statesOf(scenario)).toEqual(['paid', 'declined', 'open']);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(1);
  await changeCardOutcome(scenarios.app, scenario, 'success');
  expect(await scenario.advanceDays(0.1)).toMatchObject({ status: 'active', failure_reason: '' });
  expect(await statesOf(scenario)).toEqual(['paid', 'declined', 'paid']);
  expect(await takenFor(scenarios.app, scenario.id)).toHaveLength(2);
  expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).not.toContain('payment_failed');
});

test('subscribe.expired: a subscription that is revoked and restored is canceled; the provider is not asked', async () => {
  const scenario = await waiting();
  await signal(scenario, 'revoked');
  await reaches(scenario, 'revoked');
  await signal(scenario, 'restored');
  await reaches(scenario, 'active');
  expect(await countQuestions(() => cancel(scenario))).toBe(0);
  expect(await statesOf(scenario)).toEqual(['paid', 'declined', 'declined']);
});
