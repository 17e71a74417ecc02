import { call } from '../support/client';
import { createItem, createMerchant, createShop, type Person } from '../support/factories';
import { grant } from '../support/grant';
import { type ErrorBody } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const update = <Body = Record<string, unknown>>(id: number, fields: object, person: Person = merchant) =>
  call<Body>(app, 'PATCH', `/v2/items/${id}`, { ...fields }, person);

const everything = {
  content: '<p>The final.</p>',
  access_control_type_id: 2,
  metadata: { preview_title: 'Before', preview_button_label: 'Watch' },
  external_asset_id: 'aB3',
  template_id: 7,
  event_type: 'live',
  plan_switch_enabled: false,
  next_invoice_enabled: true,
  is_giftable: true,
  gift_metadata: { description: 'For you' },
};

test('201: what is sent changes, and what is not stays', async () => {
  const { updated_at, update_at, ...before } = await createItem(app, merchant, everything);
  const { status, body } = await update(before.id, { title: 'Replay', item_type: 'jw_asset', is_giftable: 0 });
  expect(status).toBe(201);
  expect(body).toEqual({
    ...before,
    title: 'Replay',
    item_type: expect.objectContaining({ name: 'jw_asset', content_type: 'ovp' }) as object,
    is_giftable: false,
    gift_metadata: expect.objectContaining({ description: 'For you' }) as object,
    updated_at: expect.any(Number) as number,
    update_at: expect.any(Number) as number,
  });
  expect(Number(body['updated_at'])).toBeGreaterThanOrEqual(Math.max(updated_at, update_at));
});

test('201: each field by itself', async () => {
  const { id } = await createItem(app, merchant);
  for (const [name, value] of Object.entries(everything))
    expect((await update(id, { [name]: value })).status).toBe(201);
  expect((await update(id, {})).body).toMatchObject({
    content: '<p>The final.</p>',
    access_control_type: { id: 2, name: 'Code' },
    metahash: everything.metadata,
    external_id: 'aB3',
    template_id: 7,
    event_type: 'live',
    plan_switch_enabled: false,
    next_invoice_enabled: true,
    is_giftable: true,
    gift_metadata: { description: 'For you' },
  });
});

test('201: metadata that is sent is added or changed under its id, sent empty it goes, and the rest stays', async () => {
  const item = await createItem(app, merchant, everything);
  const [title, label] = item.metadata;
  const { body } = await update(item.id, { metadata: { preview_title: 'After', preview_description: 'Sunday' } });
  expect(body['metadata']).toEqual([
    { ...title, value: 'After' },
    label,
    { id: expect.any(Number) as number, name: 'preview_description', value: 'Sunday' },
  ]);
  expect((await update(item.id, { metadata: { preview_title: '' } })).body['metahash']).toEqual({
    preview_button_label: 'Watch',
    preview_description: 'Sunday',
  });
});

test('201: twenty changes of metadata at once are all there', async () => {
  const { id } = await createItem(app, merchant);
  const names = Array.from({ length: 20 }, (_, index) => `name_${index}`);
  const replies = await Promise.all(names.map((name) => update(id, { metadata: { [name]: 'x', shared: name } })));
  expect(replies.map(({ status }) => status)).toEqual(names.map(() => 201));
  expect(Object.keys((await update(id, {})).body['metahash'] as object).sort()).toEqual([...names, 'shared'].sort());
});

test('201: added metadata is seen by who has access', async () => {
  const shop = await createShop(app);
  await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  const check = () =>
    call<{ item: { metahash: object } }>(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer);
  expect((await check()).body.item.metahash).toEqual({});
  await update(shop.item.id, { metadata: { preview_title: 'New' } }, shop.merchant);
  await until(async () => 'preview_title' in (await check()).body.item.metahash);
});

test('422 invalid_input: more names of metadata than an item may have, brought bit by bit', async () => {
  const named = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${from + index}`, 'kept']));
  const { id } = await createItem(app, merchant, { metadata: named(0, 400) });
  expect(await update(id, { metadata: named(400, 100) })).toMatchObject({ status: 201 });
  const refused = await update<ErrorBody>(id, { title: 'Not this', metadata: named(500, 1) });
  expect(refused).toMatchObject({
    status: 422,
    body: { errors: { metadata: 'The metadata must have at most 500 keys.' } },
  });
  const swapped = await update<{ title: string; metahash: object }>(id, {
    metadata: { 'name 0': '', ...named(500, 1) },
  });
  expect(Object.keys(swapped.body.metahash)).toHaveLength(500);
  expect(swapped.body.title).not.toBe('Not this');
});

test('404 item_not_found: no such item, and an item of another merchant alike', async () => {
  const foreign = await createItem(app, await createMerchant(app));
  for (const id of [2_147_483_647, foreign.id])
    expect(await update(id, { title: 'Ours' })).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
  const { rows } = await app.pool.query('SELECT title FROM items WHERE id = $1', [foreign.id]);
  expect(rows).toEqual([{ title: 'Cup final' }]);
});

test('422 invalid_input: an item never becomes a package, nor a package an item', async () => {
  const item = await createItem(app, merchant);
  const bundle = await createItem(app, merchant, { item_type: 'package' });
  for (const [id, type] of [
    [item.id, 'package'],
    [bundle.id, 'html_asset'],
  ] as const)
    expect(await update<ErrorBody>(id, { title: 'Other', item_type: type })).toMatchObject({
      status: 422,
      body: { errors: { item_type: 'The item_type of a package cannot change, and no item can become a package.' } },
    });
  expect((await update(item.id, {})).body).toMatchObject({ title: 'Cup final' });
});

test.each([
  ['title', 'x'.repeat(251)],
  ['item_type', 'pdf'],
  ['content', 'x'.repeat(90_001)],
  ['access_control_type_id', 5],
  ['metadata', { 'a\nb': '1' }],
  ['template_id', -1],
  ['is_giftable', 'perhaps'],
])('422 invalid_input: %s = %j', async (name, value) => {
  const { id } = await createItem(app, merchant);
  const { status, body } = await update<ErrorBody>(id, { [name]: value });
  const fields = Object.keys(body.errors ?? {}).map((field) => field.split('.')[0]);
  expect({ status, fields }).toEqual({ status: 422, fields: [name] });
});
