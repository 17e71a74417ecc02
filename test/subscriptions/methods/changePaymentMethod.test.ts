import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { accounts, charged, createMandate, offerDebits } from '../../support/debits';
import { cards, createConsumer, createFee } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { buyOnPage, offerRedirects } from '../../support/redirects';
import { startScenarios, type Scenarios, type SubscriptionScenario } from '../../support/scenarios';
import { until } from '../../support/until';

/** A running subscription that is paid by another method from now on. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));
afterAll(() => scenarios.stop());

test('202: the run does not answer in time, and the change follows', async () => {
  const scenario = await subscribed();
  const { status, body } = await sendTo(scenario, 'Card', randomUUID());
  expect([status, body]).toMatchObject([202, { subscription_id: scenario.id, status: 'pending' }]);
});

const sendTo = ({ id, shop }: SubscriptionScenario, payment_method: unknown, key: string) =>
  call(
    scenarios.app,
    'PUT',
    `/v2/subscriptions/${id}/payment-method`,
    { payment_method },
    { ...shop.consumer, headers: { 'Idempotency-Key': key } },
  );

/** Repeats a request whose outcome is not known yet. */
function change(scenario: SubscriptionScenario, method: unknown) {
  const key = randomUUID();
  return until(async () => {
    const reply = await sendTo(scenario, method, key);
    return reply.status !== 202 && reply;
  });
}

async function subscribed(card: string = cards.success, fee: Record<string, unknown> = {}) {
  const scenario = await scenarios.subscribe(card, { fee });
  await offerDebits(scenarios.app, scenario.shop);
  return scenario;
}

const mandate = ({ shop }: SubscriptionScenario, iban: string = accounts.paid) =>
  createMandate(scenarios.app, shop, iban);

describe('with a worker', () => {
  beforeAll(() => scenarios.startWorker());

  test('200: the next period is paid by direct debit, and the one after it by the card again', async () => {
    const scenario = await subscribed();
    await mandate(scenario);
    const { status, body } = await change(scenario, 'Direct Debit');
    expect([status, body]).toMatchObject([200, { message: 'The payment method is changed' }]);
    expect(await scenario.row()).toMatchObject({
      status: 'active',
      payment_method_name: 'Direct Debit',
      payment_tool_info: '3000',
    });
    await scenario.advanceDays(32);
    await charged(scenarios.app, scenario.id, 'processing', '2:1');
    expect(await scenario.hasAccess()).toBe(true);
    await scenario.advanceDays(6);
    await charged(scenarios.app, scenario.id, 'paid', '2:1');
    expect((await change(scenario, 1)).status).toBe(200);
    await scenario.advanceDays(31);
    await charged(scenarios.app, scenario.id, 'paid', '3:1');
    expect(await scenario.row()).toMatchObject({ payment_method_name: 'Card', payment_tool_info: '4242' });
  });

  test('200: an overdue amount is debited at once, and the bank decides within days', async () => {
    const scenario = await subscribed(cards.declinedAtRenewal);
    await mandate(scenario);
    expect((await scenario.advanceDays(32)).status).toBe('past_due');
    const { status, body } = await change(scenario, 'sepa_debit');
    expect([status, body]).toMatchObject([200, { message: 'The direct debit is being processed' }]);
    const debits = (await chargesOf(scenarios.app, scenario.id)).filter((row) => row.status === 'processing');
    expect(debits).toHaveLength(1);
    await scenario.advanceDays(6);
    await until(async () => (await scenario.row()).status === 'active');
  });

  test('200: a failed debit leads to dunning like a declined card', async () => {
    const scenario = await subscribed();
    await mandate(scenario, accounts.closed);
    expect((await change(scenario, 'Direct Debit')).status).toBe(200);
    await scenario.advanceDays(32);
    await charged(scenarios.app, scenario.id, 'processing', '2:1');
    await scenario.advanceDays(6);
    await charged(scenarios.app, scenario.id, 'declined', '2:1');
    await until(async () => (await scenario.row()).status === 'past_due');
  });

  test('200: repeated with the same key, the change is made once', async () => {
    const scenario = await subscribed();
    await mandate(scenario);
    const key = randomUUID();
    for (let times = 0; times < 2; times += 1)
      await until(async () => (await sendTo(scenario, 'Direct Debit', key)).status === 200);
    const { rows } = await scenarios.app.pool.query(
      `SELECT FROM subscription_events t JOIN subscriptions s ON s.id = t.subscription_id
     WHERE s.token = $1 AND t.reason = 'new card'`,
      [scenario.id],
    );
    expect(rows).toHaveLength(1);
  });

  test('200: a subscription by iDEAL changes to the card', async () => {
    const scenario = await subscribed();
    const { shop } = scenario;
    await offerRedirects(scenarios.app, shop);
    const consumer = await createConsumer(scenarios.app, shop.merchant);
    const page = await buyOnPage(scenarios.app, { ...shop, consumer }, 'subscription');
    await page.answer('approved');
    const other = scenarios.of({ ...shop, consumer }, page.id);
    await until(async () => (await other.row()).status === 'active');
    expect(await change(other, 'Card')).toMatchObject({ status: 400, body: { error: 'missing_parameter' } });
    const card = { number: cards.success, card_name: 'Ana Petrova', exp_month: 2, exp_year: 2040, cvv: '123' };
    await other.send('PUT', '/v2/payments/cards/default', { ...card, currency_iso: 'EUR' });
    expect((await change(other, 'Card')).status).toBe(200);
    expect(await other.row()).toMatchObject({ payment_method_name: 'Card' });
  });

  describe('refusals', () => {
    const refused = (status: number, error: string, field?: string) => ({
      status,
      body: {
        error,
        ...(field !== undefined && { errors: { payment_method: expect.stringContaining(field) as string } }),
      },
    });

    test('missing_parameter: without a mandate', async () => {
      const scenario = await subscribed();
      expect(await change(scenario, 'Direct Debit')).toMatchObject(refused(400, 'missing_parameter', 'mandate'));
      expect((await scenario.row()).payment_method_name).toBe('Card');
    });

    test.each([
      ['a plan that renews before a bank decides', 'Direct Debit', { quantity: 13, period: 'day' }, '14 days'],
      ['another currency', 'Direct Debit', { currency: 'USD' }, 'EUR only'],
    ])('422 payment_method_not_offered: %s', async (_what, method, fee, text) => {
      const scenario = await subscribed(cards.success, fee);
      await offerRedirects(scenarios.app, scenario.shop);
      if (method !== 'ideal') await offerDebits(scenarios.app, scenario.shop);
      expect(await change(scenario, method)).toMatchObject(refused(422, 'payment_method_not_offered', text));
    });

    test('422 payment_method_not_offered: the merchant does not offer debits any more', async () => {
      const scenario = await subscribed();
      await mandate(scenario);
      await offerRedirects(scenarios.app, scenario.shop);
      expect(await change(scenario, 'Direct Debit')).toMatchObject(refused(422, 'payment_method_not_offered'));
    });

    test.each([
      [400, 'missing_parameter', undefined],
      [400, 'missing_parameter', ''],
      [422, 'invalid_input', 'cash'],
      [422, 'invalid_input', 99],
    ])('%d %s: the method %p', async (status, error, method) => {
      const scenario = await subscribed();
      expect(await change(scenario, method)).toMatchObject(refused(status, error, 'payment_method'));
    });

    test('422 payment_method_not_offered: the plan that begins next renews before a bank decides', async () => {
      const scenario = await subscribed();
      await mandate(scenario);
      const { shop } = scenario;
      const plan = { amount: '2.50', quantity: 1, period: 'week' };
      const { id } = await createFee(scenarios.app, shop.merchant, shop.item.id, plan);
      expect((await scenario.request('switch', { access_fee_id: id, mode: 'next_period' })).status).toBe(200);
      expect(await change(scenario, 'Direct Debit')).toMatchObject(
        refused(422, 'payment_method_not_offered', '14 days'),
      );
    });

    test('422 invalid_input: a subscription by direct debit changes to a plan of two weeks, and not of 13 days', async () => {
      const scenario = await subscribed();
      await mandate(scenario);
      expect((await change(scenario, 'Direct Debit')).status).toBe(200);
      const { shop } = scenario;
      const switchTo = async (quantity: number) => {
        const plan = { amount: '2.50', quantity, period: 'day' };
        const { id } = await createFee(scenarios.app, shop.merchant, shop.item.id, plan);
        return scenario.request('switch', { access_fee_id: id, mode: 'next_period' });
      };
      const { status, body } = await switchTo(13);
      expect([status, body]).toMatchObject([
        422,
        { errors: { access_fee_id: expect.stringContaining('14 days') as string } },
      ]);
      expect((await switchTo(14)).status).toBe(200);
    });

    test('402 payment_failed: the card is charged for an overdue amount at once, and declined again', async () => {
      const scenario = await subscribed(cards.declinedAtRenewal);
      expect((await scenario.advanceDays(32)).status).toBe('past_due');
      expect(await change(scenario, 'Card')).toMatchObject({ status: 402, body: { error: 'payment_failed' } });
    });

    test('404 subscription_not_found: neither another customer nor the merchant changes it', async () => {
      const scenario = await subscribed();
      const other = await createConsumer(scenarios.app, scenario.shop.merchant);
      const path = `/v2/subscriptions/${scenario.id}/payment-method`;
      for (const caller of [other, scenario.shop.merchant]) {
        const reply = await call(scenarios.app, 'PUT', path, { payment_method: 'Card' }, caller);
        expect(reply).toMatchObject(refused(404, 'subscription_not_found'));
      }
    });

    test('409 subscription_state: a subscription that has ended', async () => {
      const scenario = await subscribed();
      await scenario.send('DELETE', `/subscriptions/${scenario.id}`, { at: 'now' });
      await until(async () => (await scenario.row()).status === 'canceled');
      expect(await change(scenario, 'Card')).toMatchObject(refused(409, 'subscription_state'));
    });
  });
});
