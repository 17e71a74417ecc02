import { createConsumer, reaches, subscribe } from '../support/factories';
import { chargesOf, eventsOf, mailsTo } from '../support/ledger';
import { startStripeScenarios, type SubscriptionScenario, type StripeScenarios } from '../support/scenarios';
import { type StripeServer } from '../support/stripeServer';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/** The card provider asks for a pause. Every charge waits until it is over. */

let stripe: StripeServer;
let scenarios: StripeScenarios;

beforeAll(async () => {
  scenarios = await startStripeScenarios();
  ({ stripe } = scenarios);
});
afterAll(() => scenarios.stop());

const endPause = () => scenarios.app.pool.query('UPDATE provider_paces SET held_until = now(), filled_at = now()');

const isHeld = async () =>
  (await scenarios.app.pool.query('SELECT 1 FROM provider_paces WHERE held_until > now()')).rows.length === 1;

const namesSent = ({ id }: SubscriptionScenario) =>
  stripe.sent.filter(({ fields }) => JSON.stringify(fields).includes(`${id}:2:`)).map(({ key }) => key);

test('subscribe.renewed: after a 429 a renewal waits with access and without dunning, and is paid after the pause', async () => {
  const scenario = await scenarios.subscribe();
  stripe.fail('/v1/payment_intents', '429 for an hour');
  await passDays(scenarios.app, scenario.shop.merchant, 31);
  await until(isHeld);
  expect(await scenario.row()).toMatchObject({ status: 'active', failure_reason: '', next_retry_at: 0 });
  expect(await scenario.hasAccess()).toBe(true);
  expect(namesSent(scenario)).toEqual([]);

  await endPause();
  await until(async () => (await chargesOf(scenarios.app, scenario.id)).every(({ status }) => status === 'paid'));
  expect(namesSent(scenario)).toEqual([`${scenario.id}:2:1`]);
  await until(async () => (await eventsOf(scenarios.app, scenario.id)).includes('subscribe.renewed'));
  expect(await eventsOf(scenarios.app, scenario.id)).toEqual([
    'access.granted',
    'subscribe.success',
    'subscribe.renewed',
  ]);
  expect(await mailsTo(scenarios.app, scenario.shop.consumer.id)).toEqual(['receipt', 'receipt']);
});

test('202: after a 429 a first purchase is paid once, after the pause', async () => {
  const { shop } = await scenarios.subscribe();
  const consumer = await createConsumer(scenarios.app, shop.merchant);
  stripe.fail('/v1/payment_intents', '429 for an hour');
  const { status, body } = await subscribe(scenarios.app, { ...shop, consumer }, '4242424242424242');
  expect(status).toBe(202);
  await until(isHeld);
  await endPause();
  await reaches(scenarios.app, consumer, body.subscription_id, 'active');
  expect(await chargesOf(scenarios.app, body.subscription_id)).toMatchObject([{ status: 'paid', attempt: 1 }]);
});
