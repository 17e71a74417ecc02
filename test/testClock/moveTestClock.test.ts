import { call } from '../support/client';
import { createMerchant, createShop, reaches, subscribe, type SubscriptionRow } from '../support/factories';
import { createPayShop, pay } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

interface Clock {
  now: number;
  time: string;
  ahead: number;
}

const move = (merchant: { token: string }, fields: Record<string, unknown>) =>
  call<Clock>(app, 'POST', '/test-clock', fields, merchant);

test('200: by seconds, and again: moves add up', async () => {
  const merchant = await createMerchant(app);
  expect((await move(merchant, { advance: 60 })).body.ahead).toBe(60);
  expect((await move(merchant, { advance: 86_400 })).body.ahead).toBe(86_460);
});

test('200: twenty moves at once add up too', async () => {
  const merchant = await createMerchant(app);
  await Promise.all(Array.from({ length: 20 }, () => move(merchant, { advance: 10 })));
  expect((await call(app, 'GET', '/test-clock', undefined, merchant)).body).toMatchObject({ ahead: 200 });
});

test('200: to a time', async () => {
  const merchant = await createMerchant(app);
  const to = new Date(Date.now() + 40 * 86_400_000);
  const { body } = await move(merchant, { to: to.toISOString() });
  expect(Math.abs(Date.parse(body.time) - to.getTime())).toBeLessThan(60_000);
});

test('200: every live subscription is promised the news, and no other', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  await move(shop.merchant, { advance: 60 });
  const text = `SELECT workflow_id, input FROM outbox WHERE signal = 'clockMoved' AND (memo->>'merchantId')::int = $1`;
  const waiting = async () => (await app.pool.query<object>(text, [shop.merchant.id])).rows;
  const told = await waiting();
  // The relay can be faster.
  for (const row of told)
    expect(row).toEqual({ workflow_id: `subscription-${body.subscription_id}`, input: { aheadMs: 60_000 } });
  expect(told.length).toBeLessThanOrEqual(1);
});

test('200: every open payment is promised the news, and no settled one', async () => {
  const shop = await createPayShop(app);
  const { body } = await pay(app, shop);
  const other = await createPayShop(app);
  await move(other.merchant, { advance: 60 });
  await move(shop.merchant, { advance: 60 });
  const text = `SELECT workflow_id, input FROM outbox WHERE signal = 'clockMoved' AND (memo->>'merchantId')::int = $1`;
  const { rows } = await app.pool.query<object>(text, [shop.merchant.id]);
  // The relay can be faster.
  for (const row of rows)
    expect(row).toEqual({ workflow_id: `payment-${body.transaction}`, input: { aheadMs: 60_000 } });
  expect(rows.length).toBeLessThanOrEqual(1);
  await app.pool.query(`UPDATE payments SET state = 'failed' WHERE token = $1`, [body.transaction]);
  await move(shop.merchant, { advance: 60 });
  const again = await app.pool.query<object>(`${text} AND (input->>'aheadMs')::int = 120000`, [shop.merchant.id]);
  expect(again.rows).toEqual([]);
});

test('200: what begins later begins in that time', async () => {
  const shop = await createShop(app);
  const { body: clock } = await move(shop.merchant, { advance: 400 * 86_400 });
  await app.startWorker();
  const { body } = await subscribe(app, shop);
  const row: SubscriptionRow = await reaches(app, shop.consumer, body.subscription_id, 'active');
  expect(row.current_period_start).toBeGreaterThanOrEqual(clock.now);
  expect(row.created_at).toBeGreaterThanOrEqual(clock.now);
  const access = await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer);
  expect(access.status).toBe(200);
});

test('400 missing_parameter: neither seconds nor a time', async () => {
  const merchant = await createMerchant(app);
  expect((await move(merchant, {})).body).toMatchObject({
    code: 400,
    errors: { advance: expect.any(String) as unknown },
  });
});

test('409 clock_goes_forward: back in time', async () => {
  const merchant = await createMerchant(app);
  await move(merchant, { advance: 86_400 });
  const { body } = await move(merchant, { to: new Date().toISOString() });
  expect(body).toMatchObject({ code: 409, error: 'clock_goes_forward' });
});

test('422 invalid_input: more than ten years, or no seconds', async () => {
  const merchant = await createMerchant(app);
  for (const fields of [{ advance: 0 }, { advance: -5 }, { advance: 400_000_000 }, { to: '2090-01-01' }])
    expect((await move(merchant, fields)).status).toBe(422);
});
