import { call } from '../support/client';
import { createConsumer, createMerchant, createShop, subscribe, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const get = (id: string, person: Pick<Person, 'token'>) =>
  call<Record<string, unknown>>(app, 'GET', `/subscriptions/${id}`, undefined, person);

test('200: its subscriber and its merchant, the same row as in the list', async () => {
  const shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  const { status, body } = await get(id, shop.consumer);
  expect({ status, id: body['subscription_id'] }).toEqual({ status: 200, id });
  expect((await get(id, shop.merchant)).body).toEqual(body);
  const listed = await call<{ collection: object[] }>(app, 'GET', '/subscriptions', undefined, shop.consumer);
  expect(listed.body.collection).toEqual([body]);
});

test('200: what the purchase charged and why it failed', async () => {
  const shop = await createShop(app, { amount: '1000', currency: 'JPY' });
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  await app.pool.query(
    `UPDATE subscriptions SET state = 'incomplete_expired', failure_reason = 'declined', ended_at = '2026-01-01T00:00:00Z'
     WHERE token = $1`,
    [id],
  );
  expect((await get(id, shop.consumer)).body).toMatchObject({
    status: 'incomplete_expired',
    action_type: 'incomplete_expired',
    failure_reason: 'declined',
    ended_at: 1_767_225_600,
    subscription_price: 1000,
    formatted_amount: '¥1,000',
  });
});

test('401 invalid_auth_token: nobody', async () => {
  expect((await get('S-x-SB', { token: 'x' })).status).toBe(401);
});

test('404 subscription_not_found: none of this name, and one of another account or merchant alike', async () => {
  const shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  const other = await createMerchant(app);
  const strangers = [await createConsumer(app, shop.merchant), other, await createConsumer(app, other)];
  const refusal = {
    status: 404,
    body: { code: 404, message: 'Subscription not found', error: 'subscription_not_found' },
  };
  for (const stranger of strangers) expect(await get(id, stranger)).toMatchObject(refusal);
  for (const name of ['S-unknown-SB', '1', id.toLowerCase(), 'x'.repeat(65), "'--", '%25'])
    expect(await get(name, shop.consumer)).toMatchObject(refusal);
});
