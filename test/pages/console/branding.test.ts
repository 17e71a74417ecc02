import { call } from '../../support/client';
import { createItem, createFee, createShop, type Person } from '../../support/factories';
import { enterConsole, PageWalker } from '../../support/pageWalker';
import { createBrandedMerchant } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

/** The branding form and its preview. */

let app: TestApp;
let merchant: Person;
let walker: PageWalker;

beforeAll(async () => (app = await startApp()));
beforeEach(async () => {
  merchant = await createBrandedMerchant(app);
  walker = await enterConsole(app, merchant.email);
});
afterAll(() => app.stop());

const fields = {
  brand_name: 'Daily Kick',
  paywall_primary_color: '#7c2d12',
  paywall_secondary_color: '#444444',
  paywall_buttons_bg_color: '#7c2d12',
  paywall_buttons_text_color: '#ffffff',
  preview_buttons_bg_color: '#7c2d12',
  preview_buttons_text_color: '#ffffff',
  template_id: '1',
};

const brandOf = async () =>
  (await call<Record<string, unknown>>(app, 'GET', `/branding/paywall/${merchant.uuid}/default`)).body;

async function save(changes: Record<string, string>): Promise<void> {
  await walker.open('/console/branding');
  expect((await walker.submit('/console/branding', { ...fields, ...changes })).status).toBe(303);
}

async function paywall(): Promise<string> {
  const item = await createItem(app, merchant);
  await createFee(app, merchant, item.id);
  return (await walker.open(`/paywall/${merchant.uuid}/${item.id}`)).text;
}

test('the button that leads on follows the others, until it has colours of its own', async () => {
  await save({ paywall_buttons_bg_color: '#00603f' });
  expect(await brandOf()).toMatchObject({ preview_buttons_bg_color: '#00603f', preview_buttons_text_color: '#ffffff' });
  await save({ paywall_buttons_bg_color: '#123456' });
  expect(await brandOf()).toMatchObject({ preview_buttons_bg_color: '#123456' });
  const own = {
    own_preview_buttons: 'true',
    preview_buttons_bg_color: '#ffd400',
    preview_buttons_text_color: '#000000',
  };
  await save(own);
  expect(await brandOf()).toMatchObject({ preview_buttons_bg_color: '#ffd400', preview_buttons_text_color: '#000000' });
  expect((await walker.open('/console/branding')).text).toMatch(/id="field-own_preview_buttons"[^>]*checked/);
  await save({});
  expect(await brandOf()).toMatchObject({ preview_buttons_bg_color: '#7c2d12' });
});

test('the second colour, the button’s and the layout are seen at the paywall', async () => {
  await save({
    paywall_secondary_color: '#5b2a86',
    own_preview_buttons: 'true',
    preview_buttons_bg_color: '#ffd400',
    preview_buttons_text_color: '#000000',
    template_id: '4',
  });
  const text = await paywall();
  for (const wanted of ['--secondary:light-dark(#5b2a86,', '--preview-button:#ffd400', '--on-preview-button:#000000'])
    expect(text).toContain(wanted);
  expect(text).toContain('card preview template-4');
  expect(text).toContain('class="button main offer full"');
});

test('the preview is the first step of the paywall', async () => {
  const { text } = await walker.open('/console/branding/preview');
  const shop = await createShop(app);
  await createFee(app, shop.merchant, shop.item.id, { period: 'year', amount: '99.00', description: 'Yearly' });
  const paywall = await new PageWalker(app).open(`/paywall/${shop.merchant.uuid}/${shop.item.id}`);
  // The same elements with the same classes, from the banner to the last link.
  const partsOf = (page: string) => {
    const [main = ''] = /<div[^>]*class="split"[^]*(?=<\/main>)/.exec(page) ?? [];
    return [...main.matchAll(/<(h1|h2|ul|li|a)(?:\s+class="([^"]*)")?/g)].map(
      ([, tag, names = '']) => `${tag} ${names}`,
    );
  };
  expect(partsOf(text).length).toBeGreaterThan(10);
  expect(partsOf(text)).toEqual(partsOf(paywall.text));
  for (const shown of ['Choose a plan', 'Get access', 'Save 17%', 'Already have an account?']) {
    expect(text).toContain(shown);
    expect(paywall.text).toContain(shown);
  }
});

test('the preview shows what a form of any length holds, and saves nothing', async () => {
  await walker.open('/console/branding');
  const paywall_cover_photo = `https://cdn.example/${'long/'.repeat(380)}cover.jpg`;
  const footer = '<p>Daily</p>'.repeat(1_500);
  const tried = {
    ...fields,
    paywall_primary_color: '#0a5',
    template_id: '3',
    paywall_cover_photo,
    paywall_footer: footer,
  };
  const { status, text } = await walker.submit('/console/branding/preview', tried);
  expect(status).toBe(200);
  for (const wanted of ['--primary:#0a5', 'template-3', paywall_cover_photo]) expect(text).toContain(wanted);
  expect(await brandOf()).toMatchObject({ paywall_primary_color: '#7c2d12', template_id: 1 });
  expect((await walker.open('/console/branding/preview')).text).toContain('--primary:#7c2d12');
});

test('a preview is asked for by a page of ours only', async () => {
  const body = new URLSearchParams(fields);
  const headers = { Cookie: walker.cookies, Origin: app.address };
  const response = await fetch(`${app.address}/console/branding/preview`, { method: 'POST', body, headers });
  expect(response.status).toBeGreaterThanOrEqual(400);
});
