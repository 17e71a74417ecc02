import { cards, createFee, createItem } from '../../support/factories';
import { startLives, type Lived, type Lives } from '../../support/lives';

let lives: Lives;

beforeAll(async () => (lives = await startLives({ isIdle: true })));

afterAll(() => lives.stop());

test('503 service_unavailable: nobody is at work; the caller may ask again', async () => {
  const life = await lives.begin();
  const { id } = await createFee(lives.app, life.shop.merchant, life.shop.item.id, { amount: '19.99' });
  const { status, body } = await life.ask('switch', { access_fee_id: id });
  expect([status, body]).toMatchObject([503, { error: 'service_unavailable' }]);
});

describe('with a worker', () => {
  let working: Lives;

  beforeAll(async () => (working = await lives.work()));

  const feeOf = async (life: Lived, fields: Record<string, unknown> = {}) =>
    (await createFee(lives.app, life.shop.merchant, life.shop.item.id, { amount: '19.99', ...fields })).id;

  test('404 access_fee_not_found: another merchant’s fee', async () => {
    const [life, other] = [await working.begin(), await working.begin()];
    const { status, body } = await life.ask('switch', { access_fee_id: other.shop.fee.id });
    expect([status, body]).toMatchObject([404, { error: 'access_fee_not_found' }]);
  });

  test('404 subscription_not_found: another consumer’s', async () => {
    const [life, other] = [await working.begin(), await working.begin()];
    const fields = { access_fee_id: await feeOf(life) };
    expect((await life.send('POST', `/subscriptions/${other.id}/switch`, fields)).status).toBe(404);
  });

  test('409 subscription_state: where the item’s plans cannot be changed', async () => {
    const life = await working.begin();
    const fields = { access_fee_id: await feeOf(life) };
    await lives.app.pool.query('UPDATE items SET plan_switch_enabled = false WHERE id = $1', [life.shop.item.id]);
    expect(await life.ask('switch', fields)).toMatchObject({ status: 409, body: { error: 'subscription_state' } });
  });

  test('409 subscription_state: one that would be charged and has no card', async () => {
    const life = await working.begin();
    const fields = { access_fee_id: await feeOf(life) };
    await lives.app.pool.query('UPDATE subscriptions SET card_id = NULL WHERE token = $1', [life.id]);
    const body = { error: 'subscription_state', explain: 'A card is needed: set a default card first.' };
    expect(await life.ask('switch', fields)).toMatchObject({ status: 409, body });
  });

  test('422 invalid_input: the same fee, another currency, what is no subscription, another item', async () => {
    const life = await working.begin();
    const item = await createItem(lives.app, life.shop.merchant);
    const bad = [
      life.shop.fee.id,
      await feeOf(life, { currency: 'USD' }),
      await feeOf(life, { access_type: 'ppv' }),
      (await createFee(lives.app, life.shop.merchant, item.id)).id,
    ];
    for (const access_fee_id of bad) {
      const { status, body } = await life.ask('switch', { access_fee_id });
      expect([status, body]).toMatchObject([422, { errors: { access_fee_id: expect.any(String) as unknown } }]);
    }
  });

  test.each(['/subscriptions/{id}/switch', '/v2/subscriptions/stripe:switch'])('200: %s', async (path) => {
    const life = await working.begin();
    const fields = { access_fee_id: await feeOf(life), inplayer_token: life.id };
    expect(await life.send('POST', path.replace('{id}', life.id), fields)).toMatchObject({
      status: 200,
      body: { message: 'The plan is changed' },
    });
    expect(await life.row()).toMatchObject({ access_fee_id: fields.access_fee_id });
  });

  test('402 payment_failed: the plan stays as it is', async () => {
    const life = await working.begin(cards.declinedAtRenewal);
    expect((await life.ask('switch', { access_fee_id: await feeOf(life) })).status).toBe(402);
    expect(await life.row()).toMatchObject({ access_fee_id: life.shop.fee.id });
  });
});
