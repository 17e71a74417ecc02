import { randomUUID } from 'node:crypto';
import { createCode } from '../support/access';
import { call } from '../support/client';
import { createItem, createShop, type Shop } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { createPackage } from '../support/vouchers';
import { createWebhook } from '../support/webhooks';

/** Lists of the merchant with a cursor. Rows that are added later do not shift the pages. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

interface Listed {
  path: (shop: Shop) => Promise<string> | string;
  add: (shop: Shop, path: string) => Promise<unknown>;
  /** The unique field of an element. */
  nameOf: (element: Record<string, unknown>) => unknown;
}

const byId: Listed['nameOf'] = ({ id }) => id;

const lists: Record<string, Listed> = {
  items: { path: () => '/v2/items', add: (shop) => createItem(app, shop.merchant), nameOf: byId },
  packages: { path: () => '/items/packages', add: (shop) => createPackage(app, shop), nameOf: byId },
  'access codes': {
    path: ({ item }) => `/items/${item.id}/access/codes`,
    add: (shop) => createCode(app, shop),
    nameOf: byId,
  },
  'webhook deliveries': {
    path: async ({ merchant }) => `/webhooks/${(await createWebhook(app, merchant)).id}/deliveries`,
    add: ({ merchant }, path) => call(app, 'POST', path.replace('/deliveries', '/test'), undefined, merchant),
    nameOf: byId,
  },
  timelines: {
    path: ({ consumer }) => `/v2/accounts/customers/${consumer.id}/timeline`,
    add: async ({ consumer, merchant }) => {
      const { audit } = await import('../../src/audit/audit.js');
      const { transaction } = await import('../../src/adapters/postgres/connection.js');
      const actor = { merchantId: merchant.id, accountId: merchant.id };
      const name = randomUUID().replaceAll(/[^a-f]/g, '');
      return transaction((inTransaction) =>
        audit(inTransaction, actor, { action: `account.${name}`, object: ['account', consumer.id] }),
      );
    },
    nameOf: ({ type, happened_at: at }) => `${String(type)} ${String(at)}`,
  },
};

interface Page {
  total: number;
  next_cursor: string | null;
  collection: Record<string, unknown>[];
}

test.each(Object.entries(lists))('%s: no element is repeated or left out, whatever is added', async (_name, listed) => {
  const shop = await createShop(app);
  const path = await listed.path(shop);
  for (let added = 0; added < 5; added += 1) await listed.add(shop, path);
  const read = async (query: string) => {
    const reply = await call<Page>(app, 'GET', `${path}?size=2${query}`, undefined, shop.merchant);
    expect(reply.status).toBe(200);
    return reply.body;
  };
  const all = (await call<Page>(app, 'GET', `${path}?size=100`, undefined, shop.merchant)).body;
  expect(all.collection.length).toBeGreaterThanOrEqual(5);
  expect(all.next_cursor).toBeNull();

  const seen: unknown[] = [];
  let page = await read('');
  for (let left = 20; left > 0; left -= 1) {
    seen.push(...page.collection.map(listed.nameOf));
    if (page.next_cursor === null) break;
    await listed.add(shop, path);
    page = await read(`&cursor=${page.next_cursor}`);
  }
  expect(page.next_cursor).toBeNull();
  expect(seen).toEqual(all.collection.map(listed.nameOf));
});

test.each(Object.entries(lists))('%s: 422 invalid_input: not a cursor', async (_name, listed) => {
  const shop = await createShop(app);
  const path = await listed.path(shop);
  for (const cursor of ['x', cursorOf(1, '2026-02-30 10:00:00+00'), cursorOf(1, '2026-01-31 99')]) {
    const reply = await call(app, 'GET', `${path}?cursor=${cursor}`, undefined, shop.merchant);
    expect(reply).toMatchObject({ status: 422, body: { errors: { cursor: expect.any(String) as unknown } } });
  }
});

test.each(Object.entries(lists))('%s: 200: a cursor after every id', async (_name, listed) => {
  const shop = await createShop(app);
  const cursor = cursorOf(Number.MAX_SAFE_INTEGER, '2026-01-31 10:00:00+00');
  const reply = await call(app, 'GET', `${await listed.path(shop)}?cursor=${cursor}`, undefined, shop.merchant);
  expect(reply.status).toBe(200);
});

function cursorOf(id: number, at: string): string {
  return Buffer.from(JSON.stringify([id, at])).toString('base64url');
}
