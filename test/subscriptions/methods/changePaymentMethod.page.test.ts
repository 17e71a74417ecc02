import { call } from '../../support/client';
import { charged, offerDebits } from '../../support/debits';
import { cards, createConsumer, createFee } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { loseRun } from '../../support/lostRuns';
import { offerRedirects, type PageAnswer } from '../../support/redirects';
import { startScenarios, type Scenarios, type SubscriptionScenario } from '../../support/scenarios';
import { until } from '../../support/until';

/** A running subscription changes to iDEAL, Bancontact or PayPal. The payer agrees on a page, which charges nothing. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));
afterAll(() => scenarios.stop());

async function subscribed(card: string = cards.success, fee: Record<string, unknown> = {}) {
  const scenario = await scenarios.subscribe(card, { fee });
  await offerRedirects(scenarios.app, scenario.shop);
  return scenario;
}

const change = ({ id, shop }: SubscriptionScenario, body: Record<string, unknown>, person = shop.consumer) =>
  call<{ redirect_to_url: string; pi_id: string; error?: string }>(
    scenarios.app,
    'PUT',
    `/v2/subscriptions/${id}/payment-method`,
    body,
    person,
  );

/** Asks for the page of the method, and returns the reference of the set-up. */
async function begin(scenario: SubscriptionScenario, method: string): Promise<string> {
  const { status, body } = await change(scenario, { payment_method: method });
  expect([status, body]).toMatchObject([
    202,
    {
      subscription_id: scenario.id,
      status: 'requires_action',
      redirect_to_url: expect.stringContaining(body.pi_id) as string,
    },
  ]);
  return body.pi_id;
}

const answer = (reference: string, given: PageAnswer) =>
  call(scenarios.app, 'POST', `/sandbox/authenticate/${reference}`, { answer: given });

const shows = (scenario: SubscriptionScenario, name: string) =>
  until(async () => (await scenario.row()).payment_method_name === name);

test.each([
  ['ideal', 'Ideal', '3000'],
  ['bancontact', 'Bancontact', '3000'],
])('200: after the page of %s, the next period is a direct debit of the same account', async (method, name, digits) => {
  const scenario = await subscribed();
  const reference = await begin(scenario, method);
  expect((await scenario.row()).payment_method_name).toBe('Card');
  await answer(reference, 'approved');
  expect(await change(scenario, { pi_id: reference })).toMatchObject({
    status: 200,
    body: { message: 'The payment method is changed' },
  });
  expect(await scenario.row()).toMatchObject({ payment_method_name: name, payment_tool_info: digits });
  expect(await chargesOf(scenarios.app, scenario.id)).toHaveLength(1);
  await scenario.advanceDays(32);
  await charged(scenarios.app, scenario.id, 'processing', '2:1');
  await scenario.advanceDays(6);
  await charged(scenarios.app, scenario.id, 'paid', '2:1');
});

test('200: after the page of PayPal, the next period is paid at once', async () => {
  const scenario = await subscribed(cards.success, { currency: 'USD' });
  await answer(await begin(scenario, 'paypal'), 'approved');
  await shows(scenario, 'PayPal');
  await scenario.advanceDays(32);
  await charged(scenarios.app, scenario.id, 'paid', '2:1');
});

test('200: an overdue amount is charged as soon as the payer has agreed', async () => {
  const scenario = await subscribed(cards.declinedAtRenewal);
  expect((await scenario.advanceDays(32)).status).toBe('past_due');
  const reference = await begin(scenario, 'paypal');
  await answer(reference, 'approved');
  expect(await change(scenario, { pi_id: reference })).toMatchObject({ status: 200 });
  expect((await scenario.row()).status).toBe('active');
});

test('402 payment_failed: the agreement pays no overdue amount, and the answer is the same when it is repeated', async () => {
  const scenario = await subscribed(cards.declinedAtRenewal);
  expect((await scenario.advanceDays(32)).status).toBe('past_due');
  const reference = await begin(scenario, 'paypal');
  await answer(reference, 'approved_once');
  for (let times = 0; times < 2; times += 1)
    expect(await change(scenario, { pi_id: reference })).toMatchObject({
      status: 402,
      body: { error: 'payment_failed' },
    });
  expect((await scenario.row()).status).toBe('past_due');
});

test('200: the app and the page report the answer, each of them twice, and the change is made once', async () => {
  const scenario = await subscribed();
  const reference = await begin(scenario, 'paypal');
  await Promise.all([answer(reference, 'approved'), answer(reference, 'approved')]);
  const replies = await Promise.all([change(scenario, { pi_id: reference }), change(scenario, { pi_id: reference })]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  const { rows } = await scenarios.app.pool.query(
    `SELECT FROM subscription_events t JOIN subscriptions s ON s.id = t.subscription_id
     WHERE s.token = $1 AND t.reason = 'new card'`,
    [scenario.id],
  );
  expect(rows).toHaveLength(1);
});

test('409 subscription_state: an answer that is sent again, after a later change and the loss of the run, changes nothing', async () => {
  const scenario = await subscribed();
  const reference = await begin(scenario, 'ideal');
  await answer(reference, 'approved');
  expect((await change(scenario, { pi_id: reference })).status).toBe(200);
  const later = { number: '4111111111111111', card_name: 'Ana Petrova', exp_month: 2, exp_year: 2040, cvv: '123' };
  await scenario.send('PUT', '/v2/payments/cards/default', { ...later, currency_iso: 'EUR' });
  await shows(scenario, 'Card');
  await loseRun(scenarios, scenario);
  expect(await change(scenario, { pi_id: reference })).toMatchObject({
    status: 409,
    body: { error: 'subscription_state', message: expect.stringContaining('another payment method') as string },
  });
  expect((await scenario.row()).payment_method_name).toBe('Card');
});

test('200: the same answer after the loss of the run, while the method still pays', async () => {
  const scenario = await subscribed();
  const reference = await begin(scenario, 'bancontact');
  await answer(reference, 'approved');
  expect((await change(scenario, { pi_id: reference })).status).toBe(200);
  await loseRun(scenarios, scenario);
  expect((await change(scenario, { pi_id: reference })).status).toBe(200);
  await shows(scenario, 'Bancontact');
});

test('202: the payer has not answered yet, and gets the same page', async () => {
  const scenario = await subscribed();
  const first = await change(scenario, { payment_method: 'ideal', return_url: 'https://shop.example.org/back' });
  const again = await change(scenario, { pi_id: first.body.pi_id });
  expect([again.status, again.body.redirect_to_url]).toEqual([202, first.body.redirect_to_url]);
  const { status, headers } = await answer(first.body.pi_id, 'approved');
  expect([status, headers.get('location')]).toEqual([
    303,
    `https://shop.example.org/back?setup_intent=${first.body.pi_id}`,
  ]);
});

test.each([
  ['ideal', 'the bank'],
  ['paypal', 'PayPal'],
])('402 payment_failed: the payer cancels on the page of %s, and the card still pays', async (method, place) => {
  const scenario = await subscribed();
  const reference = await begin(scenario, method);
  await answer(reference, 'refused');
  const { status, body } = await change(scenario, { pi_id: reference });
  expect([status, body]).toMatchObject([
    402,
    {
      message: `Payment failed: The change was canceled on the page of ${place}.`,
      errors: { payment_method: expect.any(String) as string },
    },
  ]);
  expect((await scenario.row()).payment_method_name).toBe('Card');
  await scenario.advanceDays(32);
  await charged(scenarios.app, scenario.id, 'paid', '2:1');
});

test('422 payment_method_not_offered: the plan changed to one that a direct debit cannot pay while the page was open', async () => {
  const scenario = await subscribed();
  const reference = await begin(scenario, 'ideal');
  const { shop } = scenario;
  const plan = { amount: '2.50', quantity: 1, period: 'week' };
  const { id } = await createFee(scenarios.app, shop.merchant, shop.item.id, plan);
  expect((await scenario.request('switch', { access_fee_id: id, mode: 'next_period' })).status).toBe(200);
  await answer(reference, 'approved');
  expect(await change(scenario, { pi_id: reference })).toMatchObject({
    status: 422,
    body: { error: 'payment_method_not_offered' },
  });
  expect((await scenario.row()).payment_method_name).toBe('Card');
});

test.each([
  ['iDEAL in another currency', 'ideal', { currency: 'USD' }, 'EUR only'],
  ['a plan that renews before a bank decides', 'bancontact', { quantity: 13, period: 'day' }, '14 days'],
  ['PayPal in a currency that it does not take', 'paypal', { currency: 'AED' }, 'AED'],
])('422 payment_method_not_offered: %s', async (_what, method, fee, text) => {
  const scenario = await subscribed(cards.success, fee);
  expect(await change(scenario, { payment_method: method })).toMatchObject({
    status: 422,
    body: {
      error: 'payment_method_not_offered',
      errors: { payment_method: expect.stringContaining(text) as string },
    },
  });
});

test('422 payment_method_not_offered: the merchant does not offer the method', async () => {
  const scenario = await subscribed();
  await offerDebits(scenarios.app, scenario.shop);
  expect((await change(scenario, { payment_method: 'paypal' })).body.error).toBe('payment_method_not_offered');
});

test('422 invalid_input: the return_url is not an address', async () => {
  const scenario = await subscribed();
  const reply = await change(scenario, { payment_method: 'paypal', return_url: 'javascript:alert(1)' });
  expect(reply).toMatchObject({ status: 422, body: { errors: { return_url: expect.any(String) as string } } });
});

test('409 subscription_state: a subscription that has ended needs no page', async () => {
  const scenario = await subscribed();
  await scenario.send('DELETE', `/subscriptions/${scenario.id}`, { at: 'now' });
  await until(async () => (await scenario.row()).status === 'canceled');
  expect((await change(scenario, { payment_method: 'ideal' })).body.error).toBe('subscription_state');
});

test('409 subscription_state: a subscription that ended while the page was open', async () => {
  const scenario = await subscribed();
  const reference = await begin(scenario, 'ideal');
  await scenario.send('DELETE', `/subscriptions/${scenario.id}`, { at: 'now' });
  await until(async () => (await scenario.row()).status === 'canceled');
  await answer(reference, 'approved');
  expect((await change(scenario, { pi_id: reference })).body.error).toBe('subscription_state');
});

test('404 payment_not_found: an unknown set-up, that of another subscription, and that of a default card', async () => {
  const scenario = await subscribed();
  const other = await subscribed();
  const card = { card_name: 'Ana', exp_month: 2, exp_year: 2040, cvv: '123', currency_iso: 'EUR' };
  const asked = await other.send('PUT', '/v2/payments/cards/default', { ...card, number: cards.needsAuthentication });
  const ofCard = (asked.body as { pi_id: string }).pi_id;
  for (const reference of ['seti_unknown', await begin(other, 'ideal'), ofCard])
    expect((await change(scenario, { pi_id: reference })).body.error).toBe('payment_not_found');
});

test('404 subscription_not_found: another customer begins and continues nothing', async () => {
  const scenario = await subscribed();
  const reference = await begin(scenario, 'ideal');
  const stranger = await createConsumer(scenarios.app, scenario.shop.merchant);
  for (const body of [{ payment_method: 'ideal' }, { pi_id: reference }])
    expect((await change(scenario, body, stranger)).body.error).toBe('subscription_not_found');
});
