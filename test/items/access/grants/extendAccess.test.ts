import { randomUUID } from 'node:crypto';
import { check, giveByHand, inSeconds, takeAway } from '../../../support/access';
import { call, listen } from '../../../support/client';
import { createFee, createShop, reaches, type Shop, subscribe } from '../../../support/factories';
import { daySeconds } from '../../../support/extensions';
import { auditOf, createFollower } from '../../../support/followers';
import { grant } from '../../../support/grant';
import { bookedDay, entriesOf, journalFaults, recognise, unscheduled } from '../../../support/journal';
import { createPayShop, paid } from '../../../support/payments';
import { startApp, type TestApp } from '../../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

interface ExtendOptions {
  days?: unknown;
  token?: string;
  key?: string;
}

const extend = (shop: Pick<Shop, 'merchant'>, id: number, { days = 7, token, key }: ExtendOptions = {}) =>
  call<{ expires_at: number }>(
    app,
    'POST',
    `/items/access/${id}/extend`,
    { days },
    {
      token: token ?? shop.merchant.token,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
    },
  );

const inDays = (from: number, to: number) => (to - from) / daySeconds;
const endOf = async (id: number) => {
  const text = 'SELECT floor(extract(epoch FROM expires_at))::int AS "endsAt" FROM accesses WHERE id = $1';
  return (await app.pool.query<{ endsAt: number }>(text, [id])).rows[0]?.endsAt ?? 0;
};

test('200: access.granted with the later end, which the access check knows at once, and an entry in the log', async () => {
  const shop = await createShop(app);
  const { body: given } = await giveByHand(app, shop);
  const listening = await listen(app, shop.consumer);
  const { status, body } = await extend(shop, given.id);
  expect([status, inDays(given.expires_at, body.expires_at)]).toEqual([200, 7]);
  expect((await check(app, shop.item.id, shop.consumer)).body.expires_at).toBe(body.expires_at);
  const { resource } = await listening.hears('access.granted');
  expect(resource).toMatchObject({ id: given.id, expires_at: body.expires_at });
  const [entry] = await auditOf(app, shop.merchant);
  expect(entry).toMatchObject({ action: 'access.extend', object_type: 'access', object_id: String(given.id) });
  const text = `SELECT extract(epoch FROM original_expires_at)::int AS "endsAt" FROM accesses WHERE id = $1`;
  expect((await app.pool.query(text, [given.id])).rows).toEqual([{ endsAt: given.expires_at }]);
  await listening.close();
});

test.each([1, 365])('200: by %i days', async (days) => {
  const shop = await createShop(app);
  const { body } = await giveByHand(app, shop);
  expect(inDays(body.expires_at, (await extend(shop, body.id, { days })).body.expires_at)).toBe(days);
});

test('200: one Idempotency-Key extends once, and requests at the same time add up', async () => {
  const shop = await createShop(app);
  const { body } = await giveByHand(app, shop);
  const key = randomUUID();
  await Promise.all(Array.from({ length: 3 }, () => extend(shop, body.id, { key })));
  expect((await extend(shop, body.id, { key })).status).toBe(200);
  expect(inDays(body.expires_at, await endOf(body.id))).toBe(7);
  const replies = await Promise.all(Array.from({ length: 5 }, () => extend(shop, body.id, { days: 1 })));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(inDays(body.expires_at, await endOf(body.id))).toBe(12);
});

test('200: access that was given to follow it moves too', async () => {
  const shop = await createShop(app);
  const fee = await createFee(app, shop.merchant, shop.item.id, { access_type: 'ppv', quantity: 1, period: 'day' });
  const give = async () => (await giveByHand(app, shop, { expires_at: undefined, access_fee_id: fee.id })).body;
  const [first, second] = [await give(), await give()];
  expect((await extend(shop, first.id)).status).toBe(200);
  expect(inDays(second.expires_at, await endOf(second.id))).toBe(7);
  expect((await check(app, shop.item.id, shop.consumer)).body.expires_at).toBe(second.expires_at + 7 * daySeconds);
});

test('200: the revenue of a payment is spread over the longer time, and nothing else is booked', async () => {
  const shop = await createPayShop(app, { quantity: 3, period: 'day', amount: '6.00' });
  await paid(app, shop);
  const { body } = await check(app, shop.item.id, shop.consumer);
  expect((await extend(shop, body.id, { days: 3 })).status).toBe(200);
  await recognise(app.pool, shop.merchant.id, await bookedDay(app.pool, shop.merchant.id, 4));
  expect(await entriesOf(app.pool, shop.merchant.id)).toEqual([
    'payment_provider > deferred_revenue 600',
    ...Array.from({ length: 5 }, () => 'deferred_revenue > revenue 100'),
  ]);
  expect(await unscheduled(app.pool, shop.merchant.id)).toEqual([0]);
  expect(await journalFaults(app.pool, shop.merchant.id)).toEqual([]);
});

test('400 missing_parameter: no days; 422 invalid_input: no number of days from 1 to 365, or an end after 2038', async () => {
  const shop = await createShop(app);
  const { body } = await giveByHand(app, shop);
  expect((await extend(shop, body.id, { days: '' })).status).toBe(400);
  for (const days of [0, -1, 366, 1.5, 'week', 1e12])
    expect([days, (await extend(shop, body.id, { days })).status]).toEqual([days, 422]);
  const { body: late } = await giveByHand(app, shop, { expires_at: 2 ** 31 - 1 - daySeconds });
  expect((await extend(shop, late.id, { days: 2 })).status).toBe(422);
  expect((await extend(shop, late.id, { days: 1 })).status).toBe(200);
  expect(await endOf(body.id)).toBe(body.expires_at);
});

test('400 account_does_not_exist: the customer is deactivated', async () => {
  const shop = await createShop(app);
  const { body } = await giveByHand(app, shop);
  await call(app, 'DELETE', '/accounts', { customerID: shop.consumer.id }, shop.merchant);
  expect(await extend(shop, body.id)).toMatchObject({ status: 400, body: { error: 'account_does_not_exist' } });
});

test('403 forbidden: the customer, and staff without the right', async () => {
  const shop = await createShop(app);
  const { body } = await giveByHand(app, shop);
  const reader = await createFollower(app, shop.merchant, ['items:read', 'payments:write']);
  for (const { token } of [shop.consumer, reader]) expect((await extend(shop, body.id, { token })).status).toBe(403);
  expect(await endOf(body.id)).toBe(body.expires_at);
});

test('404 access_record_not_found: another merchant’s, and none at all', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const { body } = await giveByHand(app, other);
  for (const id of [body.id, 2_147_483_646])
    expect(await extend(shop, id)).toMatchObject({ status: 404, body: { error: 'access_record_not_found' } });
  expect(await endOf(body.id)).toBe(body.expires_at);
});

test('409 access_state: it has ended, was revoked, has no end, or a subscription gives it', async () => {
  const shop = await createShop(app);
  const ended = await grant(app, shop, { from: '-2 days', to: '-1 day' });
  await app.pool.query(`UPDATE accesses SET source = 'grant' WHERE id = $1`, [ended.id]);
  const { body: revoked } = await giveByHand(app, shop);
  await takeAway(app, shop, revoked.id);
  const { body: endless } = await giveByHand(app, shop, { expires_at: 2 ** 31 - 1 });
  const bought = await createShop(app);
  const { body: submitted } = await subscribe(app, bought);
  await reaches(app, bought.consumer, submitted.subscription_id, 'active');
  const { body: subscribed } = await check(app, bought.item.id, bought.consumer);
  for (const [owner, { id }] of [
    [shop, ended],
    [shop, revoked],
    [shop, endless],
    [bought, subscribed],
  ] as const) {
    const before = await endOf(id);
    const { status, body } = await extend(owner, id);
    expect([status, body]).toMatchObject([409, { error: 'access_state' }]);
    expect(await endOf(id)).toBe(before);
  }
});

test('409 access_state: the app store that sold it sets its end', async () => {
  const shop = await createShop(app);
  const { body } = await giveByHand(app, shop, { expires_at: inSeconds(daySeconds) });
  await app.pool.query(`UPDATE accesses SET source = 'external' WHERE id = $1`, [body.id]);
  expect(await extend(shop, body.id)).toMatchObject({ status: 409, body: { error: 'access_state' } });
  expect(await endOf(body.id)).toBe(body.expires_at);
});
