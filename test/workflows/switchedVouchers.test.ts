import { call } from '../support/client';
import { createFee, createShop, purchase, reaches, type Submitted } from '../support/factories';
import { chargesOf } from '../support/ledger';
import { giveTrial, startLives, type Lived, type Lives } from '../support/lives';
import { createVoucher } from '../support/vouchers';

/** A subscription that was bought with a voucher changes its plan: the voucher goes along where its rules let it. */

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

/** Ten euros a month, with a voucher; `isForThisFee`: good for this fee and no other. */
async function begin(
  voucher: Record<string, unknown>,
  { isForThisFee = false, hasTrial = false } = {},
): Promise<Lived> {
  const shop = await createShop(lives.app, { amount: '10' });
  if (hasTrial) await giveTrial(lives.app, shop.fee.id, [14, 'day']);
  const { id, code } = await createVoucher(lives.app, shop.merchant, voucher);
  if (isForThisFee)
    await lives.app.pool.query(
      `INSERT INTO voucher_rules (merchant_id, voucher_id, rule_type, access_fee_id) VALUES ($1, $2, 'access_fees', $3)`,
      [shop.merchant.id, id, shop.fee.id],
    );
  const wanted = { ...purchase(shop), voucher_code: code };
  const { body } = await call<Submitted>(lives.app, 'POST', '/subscriptions', wanted, shop.consumer);
  await reaches(lives.app, shop.consumer, body.subscription_id, hasTrial ? 'trialing' : 'active');
  return lives.of(shop, body.subscription_id);
}

const feeOf = async (life: Lived, fields: Record<string, unknown>) =>
  (await createFee(lives.app, life.shop.merchant, life.shop.item.id, fields)).id;

const amounts = async (life: Lived) => (await chargesOf(lives.app, life.id)).map(({ amount }) => amount);

const forever = { discount: 50, discount_period: 'forever' };

describe('a voucher of one fee', () => {
  test('200: takes nothing off another, now or later', async () => {
    const life = await begin(forever, { isForThisFee: true });
    const fee = await feeOf(life, { amount: '40' });
    expect((await life.ask('switch:preview', { access_fee_id: fee })).body).toMatchObject({ total: 35 });
    expect((await life.ask('switch', { access_fee_id: fee })).status).toBe(200);
    await life.pass(32);
    expect(await amounts(life)).toEqual([500, 3500, 4000]);
  });

  test('200: nor where the change waits for the next period', async () => {
    const life = await begin(forever, { isForThisFee: true });
    const fee = await feeOf(life, { amount: '8' });
    expect((await life.ask('switch', { access_fee_id: fee })).status).toBe(200);
    expect(await life.row()).toMatchObject({ access_fee_id: life.shop.fee.id, pending_access_fee_id: fee });
    await life.pass(32);
    expect(await amounts(life)).toEqual([500, 800]);
  });

  test('200: nor in a trial', async () => {
    const life = await begin(forever, { isForThisFee: true, hasTrial: true });
    const fee = await feeOf(life, { amount: '40' });
    await giveTrial(lives.app, fee, [14, 'day']);
    expect((await life.ask('switch', { access_fee_id: fee })).status).toBe(200);
    await life.pass(15);
    expect(await amounts(life)).toEqual([4000]);
  });
});

test('200: a voucher of every fee goes along', async () => {
  const life = await begin(forever);
  const fee = await feeOf(life, { amount: '40' });
  await life.ask('switch', { access_fee_id: fee });
  await life.pass(32);
  expect(await amounts(life)).toEqual([500, 1500, 2000]);
});

test('200: a new period is a charge of its own: a voucher for the first takes nothing off', async () => {
  const life = await begin({ discount: 50 });
  const fee = await feeOf(life, { amount: '120', period: 'year' });
  expect((await life.ask('switch:preview', { access_fee_id: fee })).body).toMatchObject({ total: 115 });
  await life.ask('switch', { access_fee_id: fee });
  expect(await amounts(life)).toEqual([500, 11_500]);
});

test('200: and one for two charges is used up by it', async () => {
  const life = await begin({ discount: 50, discount_period: 'repeating', discount_duration: 2 });
  const fee = await feeOf(life, { amount: '20', quantity: 2 });
  await life.ask('switch', { access_fee_id: fee });
  await life.pass(62);
  expect(await amounts(life)).toEqual([500, 500, 2000]);
});
