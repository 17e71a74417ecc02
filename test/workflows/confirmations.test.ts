import { call, requestChange } from '../support/client';
import { cards, reaches } from '../support/factories';
import { chargesOf, eventsOf } from '../support/ledger';
import { mailsTo, receives } from '../support/mailbox';
import { bankPath, confirmationPath, renewalAnswerPath } from '../support/payer';
import { changeCardOutcome, startScenarios, type Scenarios, type SubscriptionScenario } from '../support/scenarios';
import { pathIn } from '../support/mailedLinks';

/** The bank wants the absent payer to confirm a renewal. The payer confirms the same charge later. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

async function overdue(): Promise<SubscriptionScenario> {
  const scenario = await scenarios.subscribe(cards.success);
  await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
  const row = await scenario.advancePastEnd(0.1);
  expect(row).toMatchObject({ status: 'past_due', failure_reason: 'authentication_required' });
  return scenario;
}

const statuses = async ({ id }: SubscriptionScenario) =>
  (await chargesOf(scenarios.app, id)).map(({ status }) => status);

test('subscribe.renewed: the link of the mail leads to the bank, and one charge is paid', async () => {
  const scenario = await overdue();
  const { merchant, consumer } = scenario.shop;
  const mail = await receives(scenarios.app, merchant, consumer.email, 'payment_action');
  const templates = (await mailsTo(scenarios.app, merchant, consumer.email)).map(({ template }) => template);
  expect(templates).not.toContain('payment_failed');
  expect(await eventsOf(scenarios.app, scenario.id)).toContain('subscribe.requires.action');
  const path = pathIn(mail, '/payments/confirm/');
  expect(path).toBe(await confirmationPath(scenarios.app, scenario.id));
  const bank = await renewalAnswerPath(scenarios.app, scenario.id);
  expect(await statuses(scenario)).toEqual(['paid', 'requires_action']);
  await scenario.send('POST', bank, { answer: 'approved' });
  await reaches(scenarios.app, consumer, scenario.id, 'active');
  // The link of a paid charge does nothing.
  expect((await call(scenarios.app, 'POST', path)).status).toBe(200);
  expect(await statuses(scenario)).toEqual(['paid', 'paid']);
});

test('a retry replaces the charge, and the link of the first mail leads to the new one', async () => {
  const scenario = await overdue();
  const { merchant, consumer } = scenario.shop;
  const path = pathIn(await receives(scenarios.app, merchant, consumer.email, 'payment_action'), '/payments/confirm/');
  await scenario.advanceDays(1.1);
  expect(await statuses(scenario)).toEqual(['paid', 'declined', 'requires_action']);
  const { status, headers } = await call(scenarios.app, 'POST', path);
  expect(status).toBe(303);
  await scenario.send('POST', new URL(headers.get('location') ?? '').pathname, { answer: 'approved' });
  await reaches(scenarios.app, consumer, scenario.id, 'active');
  expect(await statuses(scenario)).toEqual(['paid', 'declined', 'paid']);
});

test('402: the subscriber retries, and is sent to the bank at once: the subscriber is present', async () => {
  const scenario = await overdue();
  const { status, body } = await scenario.request('retry');
  expect([status, body]).toMatchObject([402, { errors: { payment: 'Your bank wants you to confirm the payment.' } }]);
  const bank = await bankPath(scenario);
  expect(bank).toMatch(/^\/sandbox\/authenticate\//);
  await scenario.send('POST', bank, { answer: 'approved' });
  await reaches(scenarios.app, scenario.shop.consumer, scenario.id, 'active');
});

test('402: a merchant retries: the subscriber is absent, so the bank asks again', async () => {
  const scenario = await overdue();
  const { merchant } = scenario.shop;
  const reply = await requestChange(scenarios.app, 'POST', `/subscriptions/${scenario.id}/retry`, undefined, merchant);
  expect(reply.status).toBe(402);
  expect(await confirmationPath(scenarios.app, scenario.id)).toMatch(/^\/payments\/confirm\//);
});

test('the payer refuses at the bank: the subscription stays past due, and the link is closed until the next try', async () => {
  const scenario = await overdue();
  const path = await confirmationPath(scenarios.app, scenario.id);
  await scenario.send('POST', await renewalAnswerPath(scenarios.app, scenario.id), { answer: 'refused' });
  await scenario.advanceDays(0.01);
  expect(await statuses(scenario)).toEqual(['paid', 'declined']);
  const closed = await call<string>(scenarios.app, 'POST', path);
  expect([closed.status, closed.body.includes('This payment is closed')]).toEqual([200, true]);
  expect(await scenario.row()).toMatchObject({ status: 'past_due' });
});
