import { randomUUID } from 'node:crypto';
import { check } from '../../support/access';
import { call } from '../../support/client';
import { createConsumer, createItem, createShop } from '../../support/factories';
import { grant } from '../../support/grant';
import { listEntitlements } from '../../support/sites';
import { createRole, createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const nothing = { page: 1, total: 0, page_length: 10, plans: [] };

test('200: each plan that the account has access to, once, until the last of that ends', async () => {
  const shop = await createShop(app);
  await grant(app, shop, { from: '-2 hours', to: '1 hour' });
  const longest = await grant(app, shop, { from: '-1 hour', to: '5 hours' });
  const { status, body } = await listEntitlements(app, shop.merchant.uuid, shop.consumer);
  expect({ status, total: body.total }).toEqual({ status: 200, total: 1 });
  expect(body.plans).toMatchObject([
    {
      id: String(shop.item.id),
      original_id: shop.item.id,
      exp: longest.expiresAt,
      metadata: { name: 'Cup final', access_model: 'svod' },
      relationships: { prices: [{ id: String(shop.fee.id), type: 'price' }] },
    },
  ]);
});

test('200: not what has ended, has not begun or was revoked, nor a neighbour’s', async () => {
  const shop = await createShop(app);
  await grant(app, shop, { from: '-2 hours', to: '-1 hour' });
  await grant(app, shop, { from: '1 hour', to: '2 hours' });
  await grant(app, shop, { from: '-1 hour', to: '1 hour', revoked: true });
  const neighbour = await createConsumer(app, shop.merchant);
  await grant(app, { ...shop, consumer: neighbour }, { from: '-1 hour', to: '1 hour' });
  expect((await listEntitlements(app, shop.merchant.uuid, shop.consumer)).body).toEqual(nothing);
});

test('200: what is free after sign-in too, once it was opened, and what is sold no longer', async () => {
  const shop = await createShop(app);
  const free = await createItem(app, shop.merchant, { access_control_type_id: 3 });
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  await check(app, free.id, shop.consumer);
  await call(app, 'DELETE', `/items/${shop.item.id}`, undefined, shop.merchant);
  const { plans } = (await listEntitlements(app, shop.merchant.uuid, shop.consumer)).body;
  expect(plans.map(({ original_id: id, metadata, exp }) => [id, metadata.access_model, exp])).toEqual([
    [shop.item.id, 'svod', expect.any(Number)],
    [free.id, 'authvod', 2 ** 31 - 1],
  ]);
});

test('200: page by page', async () => {
  const shop = await createShop(app);
  const second = await createItem(app, shop.merchant);
  for (const item of [shop.item, second]) await grant(app, { ...shop, item }, { from: '-1 hour', to: '1 hour' });
  const pages = ['?page=1&page_length=1', '?page=2&page_length=1'].map((query) =>
    listEntitlements(app, shop.merchant.uuid, shop.consumer, query),
  );
  expect(
    (await Promise.all(pages)).map(({ body }) => [body.total, body.plans.map((plan) => plan.original_id)]),
  ).toEqual([
    [2, [shop.item.id]],
    [2, [second.id]],
  ]);
});

test('200: nothing without a token, with a dead one, and at another merchant', async () => {
  const shop = await createShop(app);
  const other = await createShop(app);
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  const replies = [
    await listEntitlements(app, shop.merchant.uuid),
    await listEntitlements(app, shop.merchant.uuid, { token: 'x' }),
    await listEntitlements(app, other.merchant.uuid, shop.consumer),
  ];
  expect(replies.map(({ status, body }) => [status, body])).toEqual(replies.map(() => [200, nothing]));
});

test('404 account_not_found: no such merchant', async () => {
  const { consumer } = await createShop(app);
  const { status, body } = await listEntitlements(app, randomUUID(), consumer);
  expect([status, body]).toMatchObject([404, { error: 'account_not_found' }]);
});

test('200: nothing for somebody who acts as the customer without items:read', async () => {
  const shop = await createShop(app);
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  const seenBy = async (scopes: readonly string[]) => {
    const role_id = await createRole(app, shop.merchant, scopes);
    const member = await createStaff(app, shop.merchant, { role_id });
    const fields = { customer_id: shop.consumer.id };
    const path = '/v2/accounts/impersonate';
    const { body } = await call<{ access_token: string }>(app, 'POST', path, fields, member);
    const acting = { ...shop.consumer, token: body.access_token };
    return (await listEntitlements(app, shop.merchant.uuid, acting)).body.total;
  };
  expect(await seenBy(['impersonate', 'items:read'])).toBe(1);
  expect(await seenBy(['impersonate'])).toBe(0);
});
