import { createBrand, readBrand } from '../support/branding';
import { createConsumer, createMerchant } from '../support/factories';
import { createApp } from '../support/oauthApps';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const defaults = {
  brand_name: 'Ana Petrova',
  paywall_cover_photo: '',
  paywall_brand_logo: '',
  paywall_primary_color: '#1b1b1f',
  paywall_secondary_color: '#5c5c66',
  paywall_buttons_bg_color: '#1b1b1f',
  paywall_buttons_text_color: '#ffffff',
  preview_buttons_bg_color: '#1b1b1f',
  preview_buttons_text_color: '#ffffff',
  preview_top_border: true,
  service_protected_label: true,
  inplayer_protected_label: true,
  paywall_footer: '',
  default: true,
  template_id: 1,
  terms_url: '',
  dark_mode: false,
};

test('200: a merchant has a default brand from its registration, under its name', async () => {
  const merchant = await createMerchant(app);
  const { status, body } = await readBrand(app, merchant.uuid);
  expect(status).toBe(200);
  expect(body).toEqual({ id: expect.any(Number) as number, exists: true, ...defaults });
});

test('200: an OAuth app id means its merchant', async () => {
  const merchant = await createMerchant(app);
  const id = await createBrand({ app, merchant }, { default: true });
  const { client_id } = await createApp(app, merchant);
  expect((await readBrand(app, client_id)).body).toMatchObject({ id, default: true });
});

test('200: a merchant without a theme: `exists` is false, with defaults', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query('DELETE FROM brands WHERE merchant_id = $1', [merchant.id]);
  expect((await readBrand(app, merchant.uuid)).body).toEqual({ id: 0, exists: false, ...defaults });
});

test('404 account_not_found: a consumer is no merchant, and nobody is', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  for (const uuid of [consumer.uuid, 'nobody', '00000000-0000-4000-8000-000000000000'])
    expect(await readBrand(app, uuid)).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
});
