import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { type ErrorBody, form, json, send } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

type Item = Record<string, unknown>;

const valid = { item_type: 'html_asset', title: 'Cup final' };
const create = <Body = Item>(fields: object, person: Pick<Person, 'token'> = merchant) =>
  call<Body>(app, 'POST', '/v2/items', { ...fields }, person);

test('201: an item with all that clients read of one, content included for its merchant', async () => {
  const { status, body } = await create({
    ...valid,
    content: '<p>The final.</p>\n<script>play()</script>',
    metadata: { preview_title: 'Cup final, live', preview_description: 'Sunday, 20:00' },
    external_asset_id: 'aB3dE5',
    template_id: '7',
    event_type: 'live',
  });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(Number) as number,
    merchant_id: merchant.id,
    merchant_uuid: merchant.uuid,
    is_active: true,
    active: true,
    title: 'Cup final',
    access_control_type: { id: 1, name: 'Paid', auth: true },
    item_type: { id: 1, name: 'html_asset', content_type: 'html', host: 'html', description: 'HTML or text' },
    age_restriction: null,
    metadata: [
      { id: expect.any(Number) as number, name: 'preview_title', value: 'Cup final, live' },
      { id: expect.any(Number) as number, name: 'preview_description', value: 'Sunday, 20:00' },
    ],
    metahash: { preview_title: 'Cup final, live', preview_description: 'Sunday, 20:00' },
    template_id: 7,
    external_id: 'aB3dE5',
    external_asset_id: 'aB3dE5',
    event_type: 'live',
    plan_switch_enabled: true,
    next_invoice_enabled: false,
    is_giftable: false,
    gift_metadata: null,
    created_at: expect.any(Number) as number,
    updated_at: body['created_at'],
    update_at: body['created_at'],
    content: '<p>The final.</p>\n<script>play()</script>',
  });
});

test('201: what is not sent is null, empty or the default', async () => {
  expect((await create({ ...valid, content: '', template_id: '' })).body).toMatchObject({
    content: '',
    metadata: [],
    metahash: {},
    template_id: null,
    external_id: null,
    event_type: null,
  });
});

test.each([
  ['jw_asset', 'ovp'],
  ['kaltura_mediaspace_asset', 'ovp'],
  ['livestream_asset', 'ovp'],
  ['video_asset', 'ovp'],
  ['file_asset', 'file'],
  ['rss_asset', 'rss'],
  ['package', 'package'],
])('201: the type %s holds content of the form %s', async (name, contentType) => {
  const { status, body } = await create({ ...valid, item_type: name });
  expect(status).toBe(201);
  expect(body['item_type']).toMatchObject({ name, content_type: contentType, host: contentType });
});

test.each([
  [1, 'Paid', true],
  [2, 'Code', false],
  [3, 'Auth', true],
  [4, 'DataCapture', false],
])('201: access control %d is %s', async (id, name, auth) => {
  expect((await create({ ...valid, access_control_type_id: id })).body['access_control_type']).toEqual({
    id,
    name,
    auth,
  });
});

test('201: an item that can be given, with what its gift card says', async () => {
  const { body } = await create({ ...valid, is_giftable: '1', gift_metadata: { description: 'For your birthday' } });
  expect(body).toMatchObject({
    is_giftable: true,
    gift_metadata: {
      id: body['id'],
      item_id: body['id'],
      description: 'For your birthday',
      created_at: body['created_at'],
      updated_at: body['updated_at'],
    },
  });
});

test("201: the item is its merchant's, whatever the request says", async () => {
  const other = await createMerchant(app);
  const { body } = await create({
    ...valid,
    merchant_id: other.id,
    merchant_uuid: other.uuid,
    id: 1,
    is_active: false,
  });
  expect(body).toMatchObject({ merchant_id: merchant.id, merchant_uuid: merchant.uuid, is_active: true });
});

test('201: metadata as a list of pairs, and names that every object inherits', async () => {
  const metadata = [
    { name: 'hasOwnProperty', value: '1' },
    { name: 'toString', value: '2' },
  ];
  expect((await create({ ...valid, metadata })).body['metahash']).toEqual({ hasOwnProperty: '1', toString: '2' });
});

test('201: metadata of 500 names, of any printable ones, and of a value as long as a body may be', async () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`Row ${index}`, String(index)]));
  expect((await create({ ...valid, metadata: many })).body['metahash']).toEqual(many);
  const strange = { 'Où: «ça» / 50 %': '1', ['й'.repeat(200)]: '2', long: 'x'.repeat(90_000) };
  const reply = await send<Item>(app, 'POST', '/v2/items', {
    body: JSON.stringify({ ...valid, metadata: strange }),
    contentType: json,
    token: merchant.token,
  });
  expect([reply.status, reply.body['metahash']]).toEqual([201, strange]);
});

test('201: content of 90,000 characters', async () => {
  const content = 'x'.repeat(90_000);
  expect((await create({ ...valid, content })).body['content']).toBe(content);
});

test('400 missing_parameter: item type and title', async () => {
  expect(await create<ErrorBody>({ content: 'x' })).toMatchObject({
    status: 400,
    body: {
      error: 'missing_parameter',
      errors: { item_type: 'The item_type must not be empty.', title: 'The title must not be empty.' },
    },
  });
});

test('400 malformed_request: a forbidden name, and nothing is stored', async () => {
  const owner = await createMerchant(app);
  const body = 'item_type=html_asset&title=x&metadata[__proto__]=x';
  expect((await send(app, 'POST', '/v2/items', { body, contentType: form, token: owner.token })).status).toBe(400);
  expect((await app.pool.query('SELECT 1 FROM items WHERE merchant_id = $1', [owner.id])).rows).toEqual([]);
});

test('401 invalid_auth_token: nobody', async () => {
  expect(await create(valid, { token: 'x' })).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
});

test('403 forbidden: a consumer', async () => {
  expect(await create(valid, await createConsumer(app, merchant))).toMatchObject({
    status: 403,
    body: { code: 403, message: 'Invalid privileges', error: 'forbidden' },
  });
});

test.each([
  ['item_type', 'pdf'],
  ['item_type', 'constructor'],
  ['item_type', ['html_asset', 'package']],
  ['title', 'x'.repeat(251)],
  ['content', 'x'.repeat(90_001)],
  ['access_control_type_id', 0],
  ['access_control_type_id', 5],
  ['access_control_type_id', 'Paid'],
  ['template_id', '2147483648'],
  ['template_id', 'undefined'],
  ['metadata', { 'a\u0007b': '1' }],
  ['metadata', { ' ': '1' }],
  ['metadata', { ['x'.repeat(201)]: '1' }],
  ['metadata', Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`k${index}`, '1']))],
  ['metadata', [{ name: 'constructor', value: '1' }]],
  ['metadata', [{ name: '__proto__', value: '1' }]],
  ['event_type', 'x'.repeat(101)],
  ['is_giftable', 'perhaps'],
  ['gift_metadata', 'For you'],
  ['gift_metadata', { description: 'x'.repeat(1001) }],
  ['plan_switch_enabled', '2'],
  ['next_invoice_enabled', '2'],
])('422 invalid_input: %s = %j', async (name, value) => {
  const { status, body } = await create<ErrorBody>({ ...valid, [name]: value });
  const fields = Object.keys(body.errors ?? {}).map((field) => field.split('.')[0]);
  expect({ status, error: body.error, fields }).toEqual({ status: 422, error: 'invalid_input', fields: [name] });
});
