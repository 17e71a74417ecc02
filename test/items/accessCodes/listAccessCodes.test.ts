import { type z } from 'zod';
import { type AccessCodePage } from '../../../src/items/accessCodes.schemas';
import { createCode, enterCode } from '../../support/access';
import { call } from '../../support/client';
import { createItem, createShop, type Shop } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const list = <Body = z.output<typeof AccessCodePage>>(
  { merchant, item }: Pick<Shop, 'merchant' | 'item'>,
  query = '',
) => call<Body>(app, 'GET', `/items/${item.id}/access/codes${query}`, undefined, merchant);

test('200: the codes of the item, newest first, with the devices that use them', async () => {
  const shop = await createShop(app);
  await createCode(app, { ...shop, item: await createItem(app, shop.merchant) });
  const { body: first } = await createCode(app, shop, { device_limit: 2 });
  const { body: second } = await createCode(app, shop, { code: 'SUMMER-26' });
  await enterCode(app, shop.item.id, first.code);
  const { status, body } = await list(shop);
  expect(status).toBe(200);
  expect(body).toEqual({
    total: 2,
    page: 1,
    offset: 0,
    limit: 15,
    next_cursor: null,
    collection: [second, { ...first, devices: 1 }],
  });
});

test('200: by pages', async () => {
  const shop = await createShop(app);
  for (let made = 0; made < 3; made += 1) await createCode(app, shop);
  const ids: number[] = [];
  for (const page of [1, 2]) {
    const { body } = await list(shop, `?page=${page}&size=2`);
    expect(body).toMatchObject({ total: 3, page });
    ids.push(...body.collection.map(({ id }) => id));
  }
  expect(new Set(ids).size).toBe(3);
});

test('404 item_not_found: of another merchant, or of nobody', async () => {
  const [mine, theirs] = [await createShop(app), await createShop(app)];
  for (const item of [theirs.item, { ...mine.item, id: 2_147_483_647 }])
    expect(await list({ merchant: mine.merchant, item })).toMatchObject({
      status: 404,
      body: { error: 'item_not_found' },
    });
});

test.each([
  ['page', '?page=-1'],
  ['size', '?size=501'],
  ['limit', '?limit=501'],
])('422 invalid_input: %s in %s', async (field, query) => {
  const { status, body } = await list<ErrorBody>(await createShop(app), query);
  expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]]);
});
