import { call } from '../support/client';
import { createItem, createMerchant, type Person } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const replace = <Body = Record<string, unknown>>(id: number, fields: object) =>
  call<Body>(app, 'PUT', `/v2/items/${id}`, { ...fields }, merchant);

test('201: the item is what is sent; what is not sent is as in a new item', async () => {
  const before = await createItem(app, merchant, {
    access_control_type_id: 3,
    metadata: { preview_title: 'Before', preview_button_label: 'Watch' },
    external_asset_id: 'aB3',
    template_id: 7,
    event_type: 'live',
    plan_switch_enabled: false,
    is_giftable: true,
    gift_metadata: { description: 'For you' },
  });
  const fields = { item_type: 'video_asset', title: 'Replay', metadata: { preview_title: 'After' } };
  const { status, body } = await replace(before.id, fields);
  const { body: fresh } = await call<Record<string, unknown>>(app, 'POST', '/v2/items', fields, merchant);
  expect(status).toBe(201);
  expect(body).toEqual({
    ...fresh,
    id: before.id,
    metadata: [{ ...before.metadata[0], value: 'After' }],
    created_at: before.created_at,
    updated_at: expect.any(Number) as number,
    update_at: expect.any(Number) as number,
  });
});

test('400 missing_parameter: what a new item needs', async () => {
  const { id } = await createItem(app, merchant);
  const { status, body } = await replace<ErrorBody>(id, { content: 'x' });
  expect({ status, fields: Object.keys(body.errors ?? {}) }).toEqual({ status: 400, fields: ['item_type', 'title'] });
});

test('404 item_not_found: no such item, and an item of another merchant alike', async () => {
  const foreign = await createItem(app, await createMerchant(app));
  for (const id of [2_147_483_647, foreign.id])
    expect(await replace(id, { item_type: 'html_asset', title: 'Ours' })).toMatchObject({
      status: 404,
      body: { error: 'item_not_found' },
    });
});

test('422 invalid_input: an item never becomes a package', async () => {
  const { id } = await createItem(app, merchant);
  expect(await replace<ErrorBody>(id, { item_type: 'package', title: 'Bundle' })).toMatchObject({
    status: 422,
    body: { errors: { item_type: expect.any(String) as string } },
  });
});
