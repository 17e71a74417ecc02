import { listen, requestChange } from '../support/client';
import { cards, createFee } from '../support/factories';
import { balanceOf, giveCredit } from '../support/balances';
import { chargesOf, eventsOf } from '../support/ledger';
import { bankPath } from '../support/payer';
import { refund, refunded } from '../support/payments';
import { until } from '../support/until';
import { changeCardOutcome, startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';

/** A change of plans: the price of the difference, and when it is due. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const feeOf = async (scenario: SubscriptionScenario, fields: Record<string, unknown>) =>
  (await createFee(scenarios.app, scenario.shop.merchant, scenario.shop.item.id, fields)).id;

const amounts = async (scenario: SubscriptionScenario) =>
  (await chargesOf(scenarios.app, scenario.id)).map(({ amount, status }) => [amount, status]);

const statuses = async (scenario: SubscriptionScenario) => (await amounts(scenario)).map(([, status]) => status);

test('200: a dearer plan begins now, and only the difference of the time left is charged', async () => {
  const scenario = await scenarios.subscribe();
  const fee = await feeOf(scenario, { amount: '19.99', description: 'Gold' });
  const { current_period_end: endsAt } = await scenario.row();
  const { body } = await scenario.request('switch:preview', { access_fee_id: fee });
  expect(body).toMatchObject({ mode: 'now', total: 10, currency: 'EUR' });
  expect(body).toHaveProperty('lines', [
    { description: 'Unused time of Monthly pass', amount: -9.99 },
    { description: 'Gold', amount: 19.99 },
  ]);
  expect((await scenario.request('switch', { access_fee_id: fee })).status).toBe(200);
  expect(await scenario.row()).toMatchObject({
    access_fee_id: fee,
    current_period_end: endsAt,
    subscription_price: 19.99,
  });
  const purchases = await scenario.send('GET', '/items/access/customers');
  const told = { purchased_access_fee_id: fee, purchased_access_fee_description: 'Gold', purchased_amount: 19.99 };
  expect(purchases.body).toMatchObject({ collection: [told] });
  await scenario.advanceDays(32);
  expect(await amounts(scenario)).toEqual([
    [999, 'paid'],
    [1000, 'paid'],
    [1999, 'paid'],
  ]);
});

test('200: a cheaper plan waits for the period’s end', async () => {
  const scenario = await scenarios.subscribe();
  const fee = await feeOf(scenario, { amount: '4.99' });
  const named = { access_fee_id: fee, inplayer_token: scenario.id };
  expect((await scenario.send('POST', '/v2/subscriptions/stripe:switch', named)).status).toBe(200);
  expect(await scenario.row()).toMatchObject({ access_fee_id: scenario.shop.fee.id, pending_access_fee_id: fee });
  expect(await scenario.advanceDays(32)).toMatchObject({ access_fee_id: fee, pending_access_fee_id: 0 });
  expect(await amounts(scenario)).toEqual([
    [999, 'paid'],
    [499, 'paid'],
  ]);
});

/** Always of the same length. */
const month = { quantity: 30, period: 'day' };

test('200: a cheaper plan now leaves a credit, which the next invoice uses', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { ...month, amount: '20' } });
  const fee = await feeOf(scenario, { ...month, amount: '5' });
  await scenario.advanceDays(15);
  await scenario.request('switch', { access_fee_id: fee, mode: 'now' });
  await scenario.advanceDays(17);
  const [, next] = (await chargesOf(scenarios.app, scenario.id)).map(({ amount }) => amount);
  expect(next).toBe(0);
  const balance = await balanceOf(scenarios.app, scenario.shop.consumer.id);
  // Half of the difference, less the next invoice.
  expect(balance).toBeGreaterThan(245);
  expect(balance).toBeLessThanOrEqual(250);
});

test('200: another interval begins a new period now', async () => {
  const scenario = await scenarios.subscribe();
  const fee = await feeOf(scenario, { amount: '99', period: 'year' });
  await scenario.request('switch', { access_fee_id: fee });
  const row = await scenario.row();
  expect(row.current_period_end - row.current_period_start).toBeGreaterThan(364 * 86_400);
  expect((await amounts(scenario))[1]).toEqual([8901, 'paid']);
});

test('402 payment_failed: without the money the plan stays', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  const fee = await feeOf(scenario, { amount: '19.99' });
  const body = { error: 'payment_failed', errors: { payment: 'Your card was declined.' } };
  expect(await scenario.request('switch', { access_fee_id: fee })).toMatchObject({ status: 402, body });
  expect(await scenario.row()).toMatchObject({ status: 'active', access_fee_id: scenario.shop.fee.id });
  expect((await scenario.advancePastEnd(0.1)).status).toBe('past_due');
});

describe('with a card that asks for an authentication', () => {
  async function subscribed() {
    const scenario = await scenarios.subscribe();
    const fee = await feeOf(scenario, { amount: '19.99' });
    await changeCardOutcome(scenarios.app, scenario, 'needs_authentication');
    const path = `/subscriptions/${scenario.id}/switch`;
    return { scenario, fee, path, requests: () => scenario.send('POST', path, { access_fee_id: fee }) };
  }

  test('402 payment_failed: a merchant cannot authenticate, so the change is refused and nobody is sent there', async () => {
    const { scenario, fee, path } = await subscribed();
    const reply = await requestChange(scenarios.app, 'POST', path, { access_fee_id: fee }, scenario.shop.merchant);
    expect(reply.status).toBe(402);
    expect(await eventsOf(scenarios.app, scenario.id)).toEqual(['access.granted', 'subscribe.success']);
    expect(await statuses(scenario)).toEqual(['paid', 'declined']);
  });

  test('202: the subscriber authenticates the charge, and then the plan changes', async () => {
    const { scenario, fee, requests } = await subscribed();
    const channel = await listen(scenarios.app, scenario.shop.consumer);
    expect((await requests()).status).toBe(202);
    const { resource } = await channel.hears('subscribe.requires.action');
    await channel.close();
    expect(resource).toMatchObject({ subscription_id: scenario.id });
    expect(await scenario.row()).toMatchObject({ status: 'active', access_fee_id: scenario.shop.fee.id });
    await scenario.send('POST', await bankPath(scenario), { answer: 'approved' });
    await until(async () => (await scenario.row()).access_fee_id === fee);
    expect(await statuses(scenario)).toEqual(['paid', 'paid']);
  });

  test('202: the subscriber refuses at the bank: nothing changes', async () => {
    const { scenario, requests } = await subscribed();
    expect((await requests()).status).toBe(202);
    await scenario.send('POST', await bankPath(scenario), { answer: 'refused' });
    await until(async () => (await amounts(scenario)).at(-1)?.[1] === 'declined');
    expect(await scenario.row()).toMatchObject({ status: 'active', access_fee_id: scenario.shop.fee.id });
  });

  test('202: a second try and a cancellation do not wait for the first try', async () => {
    const { scenario, requests } = await subscribed();
    expect((await requests()).status).toBe(202);
    expect((await requests()).status).toBe(202);
    await until(async () => (await statuses(scenario)).join() === 'paid,declined,requires_action');
    await scenario.send('DELETE', `/subscriptions/${scenario.id}`);
    await until(async () => (await scenario.row()).cancel_at_period_end);
    expect(await statuses(scenario)).toEqual(['paid', 'declined', 'declined']);
    expect(await scenario.row()).toMatchObject({ status: 'active', access_fee_id: scenario.shop.fee.id });
  });

  test('202: nobody answers the bank: after a quarter of an hour the charge is given up', async () => {
    const { scenario, requests } = await subscribed();
    expect((await requests()).status).toBe(202);
    await scenario.advanceDays(16 / 1440);
    expect(await statuses(scenario)).toEqual(['paid', 'declined']);
    expect(await scenario.row()).toMatchObject({ status: 'active', access_fee_id: scenario.shop.fee.id });
  });
});

test('200: a difference that a provider would refuse is owed, and charged with the next period', async () => {
  const scenario = await scenarios.subscribe();
  const fee = await feeOf(scenario, { amount: '10.29' });
  expect((await scenario.request('switch:preview', { access_fee_id: fee })).body).toMatchObject({
    total: 0,
    balance: -0.3,
  });
  expect((await scenario.request('switch', { access_fee_id: fee })).status).toBe(200);
  expect(await scenario.row()).toMatchObject({ status: 'active', access_fee_id: fee });
  await scenario.advanceDays(32);
  expect(await amounts(scenario)).toEqual([
    [999, 'paid'],
    [0, 'paid'],
    [1059, 'paid'],
  ]);
});

test('200: an amount that is too small to charge after a credit becomes a debt, and is charged with the next period', async () => {
  const scenario = await scenarios.subscribe();
  await giveCredit(scenarios.app, scenario.shop.consumer.id, 970);
  await scenario.advanceDays(32);
  expect(await balanceOf(scenarios.app, scenario.shop.consumer.id)).toBe(-29);
  await scenario.advanceDays(31);
  expect(await amounts(scenario)).toEqual([
    [999, 'paid'],
    [0, 'paid'],
    [1028, 'paid'],
  ]);
});

test('200: the plan costs what it was priced at, even if the fee changes before the money is there', async () => {
  const scenario = await scenarios.subscribe();
  const fee = await feeOf(scenario, { amount: '19.99' });
  const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
  const provider = { ...cardProvider };
  cardProvider.charge = async (request) => {
    await scenarios.app.pool.query('UPDATE access_fees SET amount_minor = 9999 WHERE id = $1', [fee]);
    return provider.charge(request);
  };
  await scenario.request('switch', { access_fee_id: fee });
  Object.assign(cardProvider, provider);
  expect(await scenario.row()).toMatchObject({ access_fee_id: fee, subscription_price: 19.99 });
});

test('200: submitted twice at once, it happens once and costs once', async () => {
  const scenario = await scenarios.subscribe();
  const fee = await feeOf(scenario, { amount: '99', period: 'year' });
  await Promise.all([1, 2, 3].map(() => scenario.request('switch', { access_fee_id: fee })));
  expect(await scenario.row()).toMatchObject({ status: 'active', access_fee_id: fee });
  expect(await amounts(scenario)).toEqual([
    [999, 'paid'],
    [8901, 'paid'],
  ]);
  const text =
    'SELECT reason FROM subscription_events e JOIN subscriptions s ON s.id = subscription_id WHERE token = $1';
  const { rows } = await scenarios.app.pool.query<{ reason: string }>(text, [scenario.id]);
  expect(rows.filter(({ reason }) => reason === `plan ${fee}`)).toHaveLength(1);
});

test('200: what was given back of a period is no credit for another plan', async () => {
  const scenario = await scenarios.subscribe();
  const fee = await feeOf(scenario, { amount: '19.99' });
  const trxToken = `${scenario.id}-1-1`;
  await refund(scenarios.app, scenario.shop.merchant, trxToken);
  await refunded(scenarios.app, trxToken);
  expect((await scenario.request('switch:preview', { access_fee_id: fee })).body).toMatchObject({ total: 19.99 });
});

test('200: in a trial no money moves, and the time that was used counts', async () => {
  const scenario = await scenarios.subscribe(cards.success, { trial: [7, 'day'] });
  const { trial_end: before } = await scenario.row();
  const fee = await feeOf(scenario, { amount: '19.99' });
  await scenarios.app.pool.query(`UPDATE access_fees SET trial_quantity = 14, trial_period = 'day' WHERE id = $1`, [
    fee,
  ]);
  await scenario.advanceDays(3);
  await scenario.request('switch', { access_fee_id: fee });
  expect(await scenario.row()).toMatchObject({ status: 'trialing', trial_end: before + 7 * 86_400 });
  expect(await amounts(scenario)).toEqual([]);
  expect((await scenario.advanceDays(12)).status).toBe('active');
  expect(await amounts(scenario)).toEqual([[1999, 'paid']]);
});

test('409 subscription_state: not while it is canceled, nor where the item forbids it', async () => {
  const scenario = await scenarios.subscribe();
  const fee = await feeOf(scenario, { amount: '19.99' });
  await scenarios.app.pool.query('UPDATE items SET plan_switch_enabled = false WHERE id = $1', [scenario.shop.item.id]);
  expect((await scenario.request('switch', { access_fee_id: fee })).body).toMatchObject({
    error: 'subscription_state',
  });
  await scenarios.app.pool.query('UPDATE items SET plan_switch_enabled = true WHERE id = $1', [scenario.shop.item.id]);
  await scenario.cancel();
  expect((await scenario.request('switch', { access_fee_id: fee })).body).toMatchObject({
    error: 'subscription_state',
  });
});
