import { call } from '../support/client';
import { createFee, createShop, purchase, reaches, type Submitted } from '../support/factories';
import { chargesOf } from '../support/ledger';
import { giveTrial, startScenarios, type SubscriptionScenario, type Scenarios } from '../support/scenarios';
import { createVoucher } from '../support/vouchers';

/** A subscription with a voucher changes its plan. The voucher stays if its rules allow the new plan. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

/** Ten euros a month, with a voucher. `isForThisFee`: the voucher is valid for this fee only. */
async function begin(
  voucher: Record<string, unknown>,
  { isForThisFee = false, hasTrial = false } = {},
): Promise<SubscriptionScenario> {
  const shop = await createShop(scenarios.app, { amount: '10' });
  if (hasTrial) await giveTrial(scenarios.app, shop.fee.id, [14, 'day']);
  const { id, code } = await createVoucher(scenarios.app, shop.merchant, voucher);
  if (isForThisFee)
    await scenarios.app.pool.query(
      `INSERT INTO voucher_rules (merchant_id, voucher_id, rule_type, access_fee_id) VALUES ($1, $2, 'access_fees', $3)`,
      [shop.merchant.id, id, shop.fee.id],
    );
  const wanted = { ...purchase(shop), voucher_code: code };
  const { body } = await call<Submitted>(scenarios.app, 'POST', '/subscriptions', wanted, shop.consumer);
  await reaches(scenarios.app, shop.consumer, body.subscription_id, hasTrial ? 'trialing' : 'active');
  return scenarios.of(shop, body.subscription_id);
}

const feeOf = async (scenario: SubscriptionScenario, fields: Record<string, unknown>) =>
  (await createFee(scenarios.app, scenario.shop.merchant, scenario.shop.item.id, fields)).id;

const amounts = async (scenario: SubscriptionScenario) =>
  (await chargesOf(scenarios.app, scenario.id)).map(({ amount }) => amount);

const forever = { discount: 50, discount_period: 'forever' };

describe('a voucher of one fee', () => {
  test('200: takes nothing off another, now or later', async () => {
    const scenario = await begin(forever, { isForThisFee: true });
    const fee = await feeOf(scenario, { amount: '40' });
    expect((await scenario.request('switch:preview', { access_fee_id: fee })).body).toMatchObject({ total: 35 });
    expect((await scenario.request('switch', { access_fee_id: fee })).status).toBe(200);
    await scenario.advanceDays(32);
    expect(await amounts(scenario)).toEqual([500, 3500, 4000]);
  });

  test('200: nor where the change waits for the next period', async () => {
    const scenario = await begin(forever, { isForThisFee: true });
    const fee = await feeOf(scenario, { amount: '8' });
    expect((await scenario.request('switch', { access_fee_id: fee })).status).toBe(200);
    expect(await scenario.row()).toMatchObject({ access_fee_id: scenario.shop.fee.id, pending_access_fee_id: fee });
    await scenario.advanceDays(32);
    expect(await amounts(scenario)).toEqual([500, 800]);
  });

  test('200: nor in a trial', async () => {
    const scenario = await begin(forever, { isForThisFee: true, hasTrial: true });
    const fee = await feeOf(scenario, { amount: '40' });
    await giveTrial(scenarios.app, fee, [14, 'day']);
    expect((await scenario.request('switch', { access_fee_id: fee })).status).toBe(200);
    await scenario.advanceDays(15);
    expect(await amounts(scenario)).toEqual([4000]);
  });
});

test('200: a voucher of every fee goes along', async () => {
  const scenario = await begin(forever);
  const fee = await feeOf(scenario, { amount: '40' });
  await scenario.request('switch', { access_fee_id: fee });
  await scenario.advanceDays(32);
  expect(await amounts(scenario)).toEqual([500, 1500, 2000]);
});

test('200: a new period is a charge of its own: a voucher for the first takes nothing off', async () => {
  const scenario = await begin({ discount: 50 });
  const fee = await feeOf(scenario, { amount: '120', period: 'year' });
  expect((await scenario.request('switch:preview', { access_fee_id: fee })).body).toMatchObject({ total: 115 });
  await scenario.request('switch', { access_fee_id: fee });
  expect(await amounts(scenario)).toEqual([500, 11_500]);
});

test('200: and one for two charges is used up by it', async () => {
  const scenario = await begin({ discount: 50, discount_period: 'repeating', discount_duration: 2 });
  const fee = await feeOf(scenario, { amount: '20', quantity: 2 });
  await scenario.request('switch', { access_fee_id: fee });
  await scenario.advanceDays(62);
  expect(await amounts(scenario)).toEqual([500, 500, 2000]);
});
