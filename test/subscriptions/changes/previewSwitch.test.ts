import { createFee, createItem } from '../../support/factories';
import { startLives, type Lived, type Lives } from '../../support/lives';

let lives: Lives;

beforeAll(async () => (lives = await startLives()));

afterAll(() => lives.stop());

const feeOf = async (life: Lived, fields: Record<string, unknown> = {}) =>
  (await createFee(lives.app, life.shop.merchant, life.shop.item.id, { amount: '19.99', ...fields })).id;

test('200: the lines, what is charged now, and when; nothing is changed', async () => {
  const life = await lives.begin();
  const access_fee_id = await feeOf(life, { amount: '4.99', description: 'Basic' });
  const now = await life.ask('switch:preview', { access_fee_id, mode: 'now' });
  expect(now).toMatchObject({ status: 200, body: { mode: 'now', total: 0, formatted_total: '€0.00', balance: 5 } });
  const later = await life.ask('switch:preview', { access_fee_id });
  const { current_period_end: date } = await life.row();
  expect(later.body).toMatchObject({ mode: 'next_period', lines: [], total: 0, date });
  expect(await life.row()).toMatchObject({ access_fee_id: life.shop.fee.id, pending_access_fee_id: 0 });
});

test('404 access_fee_not_found: another merchant’s fee', async () => {
  const [life, other] = [await lives.begin(), await lives.begin()];
  const { status, body } = await life.ask('switch:preview', { access_fee_id: other.shop.fee.id });
  expect([status, body]).toMatchObject([404, { error: 'access_fee_not_found' }]);
});

test('404 subscription_not_found: another consumer’s', async () => {
  const [life, other] = [await lives.begin(), await lives.begin()];
  const fields = { access_fee_id: await feeOf(life) };
  expect((await life.send('POST', `/subscriptions/${other.id}/switch:preview`, fields)).status).toBe(404);
});

test('409 subscription_state: where the item’s plans cannot be changed', async () => {
  const life = await lives.begin();
  const fields = { access_fee_id: await feeOf(life) };
  await lives.app.pool.query('UPDATE items SET plan_switch_enabled = false WHERE id = $1', [life.shop.item.id]);
  expect(await life.ask('switch:preview', fields)).toMatchObject({
    status: 409,
    body: { error: 'subscription_state' },
  });
});

test('422 invalid_input: the same fee, another currency, what is no subscription, another item', async () => {
  const life = await lives.begin();
  const item = await createItem(lives.app, life.shop.merchant);
  const bad = [
    life.shop.fee.id,
    await feeOf(life, { currency: 'USD' }),
    await feeOf(life, { access_type: 'ppv' }),
    (await createFee(lives.app, life.shop.merchant, item.id)).id,
  ];
  for (const access_fee_id of bad) {
    const { status, body } = await life.ask('switch:preview', { access_fee_id });
    expect([status, body]).toMatchObject([422, { errors: { access_fee_id: expect.any(String) as unknown } }]);
  }
});
