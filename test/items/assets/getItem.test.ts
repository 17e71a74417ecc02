import { call } from '../../support/client';
import { createFee, createItem, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const get = (merchantUuid: string, id: number | string) =>
  call<Record<string, unknown>>(app, 'GET', `/items/${merchantUuid}/${id}`);

test('200: the card of the item with its fees, for anyone, and never its content', async () => {
  const { content, ...card } = await createItem(app, merchant, { metadata: { preview_title: 'Cup final, live' } });
  const fee = await createFee(app, merchant, card.id);
  const { status, body } = await get(merchant.uuid, card.id);
  expect(status).toBe(200);
  expect(body).toEqual({ ...card, access_fees: [fee] });
  expect(JSON.stringify(body)).not.toContain(content);
});

test('200: the uuid of the merchant in capitals', async () => {
  const item = await createItem(app, merchant);
  expect((await get(merchant.uuid.toUpperCase(), item.id)).body).toMatchObject({ id: item.id, access_fees: [] });
});

test('404 item_not_found: no such item, one of another merchant, and a merchant that is none', async () => {
  const item = await createItem(app, merchant);
  const other = await createMerchant(app);
  const unknown = '00000000-0000-4000-8000-000000000000';
  for (const [uuid, id] of [
    [merchant.uuid, 2_147_483_647],
    [other.uuid, item.id],
    [unknown, item.id],
    ['no-uuid', item.id],
    [merchant.uuid, 'x'],
  ] as const)
    expect(await get(uuid, id)).toMatchObject({
      status: 404,
      body: { code: 404, message: 'Item not found', error: 'item_not_found' },
    });
});
