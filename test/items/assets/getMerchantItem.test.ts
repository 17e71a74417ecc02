import { call } from '../../support/client';
import { createConsumer, createFee, createItem, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const get = (uuid: string, id: number | string, person: Person = merchant) =>
  call(app, 'GET', `/v2/items/${uuid}/${id}`, undefined, person);

test('200: the item with its content, and with all its fees, on sale now or not', async () => {
  const item = await createItem(app, merchant);
  const past = await createFee(app, merchant, item.id, { expires_at: 1_700_000_000 });
  const abroad = await createFee(app, merchant, item.id, { country_iso: 'MK', restriction_type: 'whitelist' });
  const gone = await createFee(app, merchant, item.id);
  await call(app, 'DELETE', `/items/access-fees/${gone.id}`, undefined, merchant);
  for (const uuid of [merchant.uuid, merchant.uuid.toUpperCase()])
    expect(await get(uuid, item.id)).toMatchObject({ status: 200, body: { ...item, access_fees: [past, abroad] } });
});

test('403 forbidden: a consumer of the merchant', async () => {
  const { id } = await createItem(app, merchant);
  expect(await get(merchant.uuid, id, await createConsumer(app, merchant))).toMatchObject({
    status: 403,
    body: { message: 'Invalid privileges' },
  });
});

test('404 item_not_found: no such item, and an item of another merchant under either uuid', async () => {
  const other = await createMerchant(app);
  const { id } = await createItem(app, other);
  for (const [uuid, itemId] of [
    [merchant.uuid, 2_147_483_647],
    [merchant.uuid, id],
    [other.uuid, id],
    [merchant.uuid, 'x'],
  ] as const)
    expect(await get(uuid, itemId)).toMatchObject({
      status: 404,
      body: { message: 'Item not found', error: 'item_not_found' },
    });
});
