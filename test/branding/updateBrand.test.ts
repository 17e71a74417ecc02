import { brandFields, createBrand, defaultsOf, readBrand, refused, storedBrands } from '../support/branding';
import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const update = (fields: Record<string, unknown>) =>
  call<{ id: number }>(app, 'PUT', '/branding/paywall', { ...brandFields, ...fields }, merchant);

test('200: the brand is replaced; what is optional and absent takes its default', async () => {
  const id = await createBrand({ app, merchant }, { terms_url: 'https://example.org/terms', template_id: 3 });
  expect(await update({ id, brand_name: 'Second half' })).toMatchObject({ status: 200, body: { id } });
  expect((await readBrand(app, merchant.uuid, id)).body).toMatchObject({
    brand_name: 'Second half',
    terms_url: '',
    template_id: 1,
    default: false,
  });
});

test('200: the default one can be changed, and stays the default', async () => {
  const [id] = await defaultsOf(app, merchant);
  expect(await update({ id, brand_name: 'Renamed' })).toMatchObject({ status: 200 });
  expect((await readBrand(app, merchant.uuid)).body).toMatchObject({ id, brand_name: 'Renamed', default: true });
  expect(await update({ id, default: true })).toMatchObject({ status: 200 });
  expect(await defaultsOf(app, merchant)).toEqual([id]);
});

test('200: made the default, it demotes the other', async () => {
  const id = await createBrand({ app, merchant });
  expect(await update({ id, default: 'true' })).toMatchObject({ status: 200 });
  expect(await defaultsOf(app, merchant)).toEqual([id]);
});

test('200: many made the default at once leave one, while another is created as one', async () => {
  const ids = await Promise.all(Array.from({ length: 8 }, () => createBrand({ app, merchant })));
  const replies = await Promise.all([
    ...ids.map((id) => update({ id, default: 'true' })),
    call(app, 'POST', '/branding/paywall', { ...brandFields, default: 1 }, merchant),
  ]);
  expect(replies.map(({ status }) => status).sort()).toEqual([...ids.map(() => 200), 201]);
  expect(await defaultsOf(app, merchant)).toHaveLength(1);
});

test('422 invalid_input: the default is not unset, or a merchant would have none', async () => {
  const before = await storedBrands(app, merchant);
  const [id] = await defaultsOf(app, merchant);
  expect(await update({ id, default: 'false' })).toMatchObject(refused('default'));
  expect(await storedBrands(app, merchant)).toEqual(before);
});

test('200: blank pictures are none', async () => {
  const id = await createBrand({ app, merchant });
  const reply = await update({ id, paywall_cover_photo: ' ', paywall_brand_logo: ' ' });
  expect(reply.status).toBe(200);
  const { body: brand } = await readBrand(app, merchant.uuid, id);
  expect(brand).toMatchObject({ id, paywall_cover_photo: '', paywall_brand_logo: '' });
});

test('200: the label under its other name', async () => {
  const id = await createBrand({ app, merchant });
  const reply = await update({ id, service_protected_label: '', inplayer_protected_label: '0' });
  expect(reply.status).toBe(200);
  expect((await readBrand(app, merchant.uuid, id)).body).toMatchObject({ service_protected_label: false });
});

test('200: script in the footer is left out, the rest is kept', async () => {
  const id = await createBrand({ app, merchant });
  const paywall_footer = '<p onclick="steal()">Hi<script>steal()</script> <a href="javascript:steal()">there</a></p>';
  expect((await update({ id, paywall_footer })).status).toBe(200);
  expect((await readBrand(app, merchant.uuid, id)).body.paywall_footer).toBe('<p>Hi <a>there</a></p>');
});

test.each([
  ['paywall_cover_photo', 'javascript:alert(1)'],
  ['paywall_brand_logo', 'javascript:alert(1)'],
  ['terms_url', 'JavaScript:alert(1)'],
  ['paywall_primary_color', 'red'],
])('422 invalid_input: %s is %s; nothing changes', async (field, value) => {
  const id = await createBrand({ app, merchant });
  const before = await storedBrands(app, merchant);
  expect(await update({ id, [field]: value })).toMatchObject(refused(field));
  expect(await storedBrands(app, merchant)).toEqual(before);
});

test('400 missing_parameter: the label under neither name', async () => {
  const id = await createBrand({ app, merchant });
  const reply = await update({ id, service_protected_label: '' });
  expect(reply).toMatchObject({ status: 400, body: { error: 'missing_parameter' } });
});

test('404 brand_not_found: another merchant’s brand, and none; and nothing changes', async () => {
  const other = await createMerchant(app);
  const [theirs] = await defaultsOf(app, other);
  const before = await storedBrands(app, other);
  for (const id of [theirs, 2_000_000_000])
    expect(await update({ id, default: true })).toMatchObject({ status: 404, body: { error: 'brand_not_found' } });
  expect(await storedBrands(app, other)).toEqual(before);
  expect(await defaultsOf(app, merchant)).toHaveLength(1);
});
