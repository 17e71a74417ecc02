import {
  brandFields,
  createBrand,
  defaultsOf,
  readBrand,
  refused,
  type Saved,
  storedBrands,
} from '../support/branding';
import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { auditOf, deed } from '../support/oauthApps';
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

const create = (fields: Record<string, unknown>): Promise<Saved> =>
  call(app, 'POST', '/branding/paywall', { ...brandFields, ...fields }, merchant);

test('201: every field is stored and read again', async () => {
  const fields = {
    preview_buttons_bg_color: '#123456',
    preview_buttons_text_color: '#fed',
    template_id: '7',
    terms_url: 'https://example.org/terms',
    dark_mode: '1',
  };
  const { status, body } = await create(fields);
  expect(status).toBe(201);
  expect(body).toEqual({ id: expect.any(Number) as number });
  expect((await readBrand(app, merchant.uuid, body.id)).body).toEqual({
    id: body.id,
    exists: true,
    ...brandFields,
    ...fields,
    preview_top_border: false,
    service_protected_label: true,
    inplayer_protected_label: true,
    paywall_footer:
      '<p>Questions? <a href="mailto:help@example.org" target="_blank" rel="noopener noreferrer">Write to us</a></p>',
    default: false,
    template_id: 7,
    dark_mode: true,
  });
});

test('201: what is optional has defaults; the preview’s buttons are the paywall’s', async () => {
  const id = await createBrand({ app, merchant });
  expect((await readBrand(app, merchant.uuid, id)).body).toMatchObject({
    preview_buttons_bg_color: brandFields.paywall_buttons_bg_color,
    preview_buttons_text_color: brandFields.paywall_buttons_text_color,
    default: false,
    template_id: 1,
    terms_url: '',
    dark_mode: false,
  });
});

test.each([{ service_protected_label: '0' }, { service_protected_label: '', inplayer_protected_label: '0' }])(
  '201: the label under either name: %j',
  async (label) => {
    const { body } = await create(label);
    expect((await readBrand(app, merchant.uuid, body.id)).body).toMatchObject({
      service_protected_label: false,
      inplayer_protected_label: false,
    });
  },
);

test('201: as the default it demotes the one before it', async () => {
  const [first] = await defaultsOf(app, merchant);
  const { body } = await create({ default: 'true' });
  expect(await defaultsOf(app, merchant)).toEqual([body.id]);
  expect((await readBrand(app, merchant.uuid)).body).toMatchObject({ id: body.id, default: true });
  expect((await readBrand(app, merchant.uuid, first)).body).toMatchObject({ id: first, default: false });
});

test('201: of many new defaults at once, each succeeds and one remains', async () => {
  const replies = await Promise.all(Array.from({ length: 12 }, () => create({ default: 'true' })));
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 201));
  const defaults = await defaultsOf(app, merchant);
  expect(defaults).toHaveLength(1);
  expect(replies.map(({ body }) => body.id)).toContain(defaults[0]);
});

test('201: script in the footer is left out, the rest is kept', async () => {
  const footer = `<p onclick="steal()" style="position:fixed">Hi<script>steal()</script> <a href="javascript:steal()">there</a></p>
    <iframe src="https://evil.example"></iframe><style>p{display:none}</style><img src=x onerror=steal()>`;
  const { status, body } = await create({ paywall_footer: footer });
  expect(status).toBe(201);
  expect((await readBrand(app, merchant.uuid, body.id)).body.paywall_footer).toBe('<p>Hi <a>there</a></p>');
});

test.each(['paywall_footer', 'paywall_cover_photo', 'paywall_brand_logo'])('201: a blank %s is none', async (field) => {
  const { status, body } = await create({ [field]: ' ' });
  expect(status).toBe(201);
  expect((await readBrand(app, merchant.uuid, body.id)).body).toMatchObject({ id: body.id, [field]: '' });
});

test('201: a brand without pictures and without a footer', async () => {
  const none = { paywall_cover_photo: '', paywall_brand_logo: '', paywall_footer: '' };
  const { status, body } = await create(none);
  expect(status).toBe(201);
  expect((await readBrand(app, merchant.uuid, body.id)).body).toMatchObject(none);
});

test('201: the audit log says who made it', async () => {
  const id = await createBrand({ app, merchant });
  expect(await auditOf(app, merchant)).toMatchObject([{ ...deed('brand.create', merchant, id), object_type: 'brand' }]);
});

test.each([
  ['paywall_primary_color', 'red'],
  ['paywall_primary_color', '#12'],
  ['paywall_secondary_color', '#12345g'],
  ['paywall_buttons_bg_color', '#1234567'],
  ['paywall_buttons_text_color', '#fff;background:url(//evil.example)'],
  ['preview_buttons_bg_color', 'url(javascript:alert(1))'],
  ['preview_buttons_text_color', '#ffff'],
  ['paywall_cover_photo', 'javascript:alert(1)'],
  ['paywall_brand_logo', 'data:image/svg+xml,<svg onload=alert(1)>'],
  ['paywall_brand_logo', '//cdn.example.org/logo.png'],
  ['paywall_brand_logo', 'https://user:secret@cdn.example.org/logo.png'],
  ['paywall_cover_photo', 'https://cdn.example.org/a b.jpg'],
  ['terms_url', 'JavaScript:alert(1)'],
  ['terms_url', '/terms'],
  ['template_id', '0'],
  ['template_id', '8'],
  ['brand_name', 'x'.repeat(101)],
  ['paywall_footer', 'x'.repeat(20_001)],
  ['preview_top_border', 'maybe'],
  ['dark_mode', 'dusk'],
])('422 invalid_input: %s is %s', async (field, value) => {
  const before = await storedBrands(app, merchant);
  expect(await create({ [field]: value })).toMatchObject(refused(field));
  expect(await storedBrands(app, merchant)).toEqual(before);
});

test('400 missing_parameter: the label under neither name', async () => {
  expect(await create({ service_protected_label: '' })).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { service_protected_label: expect.any(String) as string } },
  });
});

test('the database holds no second default, whoever writes', async () => {
  const insert = app.pool.query('INSERT INTO brands (merchant_id, is_default) VALUES ($1, true)', [merchant.id]);
  await expect(insert).rejects.toMatchObject({ constraint: 'brands_default' });
});
