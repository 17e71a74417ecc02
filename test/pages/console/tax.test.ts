import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { enterConsole } from '../../support/pageWalker';
import { createPayShop, paid } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { nameSeller } from '../../support/tax';

/** The console's page of the seller on invoices and its tax registrations. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const home = '/console/settings/tax';
const profile = {
  seller_name: 'News Ltd',
  address_line: 'Main St 1',
  postal_code: '10115',
  city: 'Berlin',
  country: 'DE',
  tax_number: 'DE136695976',
  item_kind: 'press',
  shown_prices: 'without_tax',
  time_zone: 'Europe/Berlin',
  invoice_note: 'HRB 12345, Amtsgericht Charlottenburg',
};
const registration = {
  registration_country: 'DE',
  registration_scheme: 'domestic',
  registration_number: 'DE136695976',
};

async function enter() {
  const merchant = await createMerchant(app);
  const walker = await enterConsole(app, merchant.email);
  await walker.open(home);
  const stored = async () =>
    (await call<Record<string, unknown>>(app, 'GET', '/v2/tax/settings', undefined, merchant)).body;
  return { walker, stored };
}

test('303: the seller is named, registered, and deregistered', async () => {
  const { walker, stored } = await enter();
  expect((await walker.open(home)).text).not.toContain('name="registration_country"');
  expect((await walker.submit(home, profile)).headers.get('location')).toBe(`${home}?done=saved`);
  expect(await stored()).toMatchObject({ profile });
  const named = await walker.open(home);
  expect(named.text).toContain('No registrations yet. Charges have no tax.');
  expect((await walker.submit(`${home}/registrations`, registration)).headers.get('location')).toBe(
    `${home}?done=created`,
  );
  const { text } = await walker.open(home);
  expect(text).toContain('DE136695976');
  expect(text).toContain(profile.invoice_note);
  const removal = /action="([^"]+registrations\/\d+\/delete)"/.exec(text)?.[1] ?? '';
  expect((await walker.submit(removal)).headers.get('location')).toBe(`${home}?done=deleted`);
  expect(await stored()).toMatchObject({ registrations: [] });
});

test.each([
  ['no name', { seller_name: '' }, 'seller_name'],
  ['a time zone that does not exist', { time_zone: 'Berlin' }, 'time_zone'],
])('422: %s is named beside its field, and the rest is kept', async (_what, wrong, field) => {
  const { walker, stored } = await enter();
  const { status, text } = await walker.submit(home, { ...profile, ...wrong });
  expect(status).toBe(422);
  expect(text).toContain(`href="#field-${field}"`);
  expect(text).toContain('value="Main St 1"');
  expect(await stored()).toMatchObject({ profile: null });
});

test('422: the region of another country, and the form of the seller keeps what is stored', async () => {
  const { walker, stored } = await enter();
  await walker.submit(home, profile);
  await walker.open(home);
  const sent = { ...registration, registration_region: 'CA-ON' };
  const { status, text } = await walker.submit(`${home}/registrations`, sent);
  expect(status).toBe(422);
  expect(text).toContain('href="#field-registration_region"');
  expect(text).toContain('value="CA-ON"');
  expect(text).toContain('value="News Ltd"');
  expect(await stored()).toMatchObject({ registrations: [] });
});

test('422: a false number is named beside its field, and is not stored', async () => {
  const { walker, stored } = await enter();
  await walker.submit(home, profile);
  await walker.open(home);
  const sent = { ...registration, registration_number: 'DE136695978' };
  const { status, text } = await walker.submit(`${home}/registrations`, sent);
  expect(status).toBe(422);
  expect(text).toContain('href="#field-registration_number"');
  expect(text).toContain('value="DE136695978"');
  expect(await stored()).toMatchObject({ registrations: [] });
});

test('422: a place without a rate says who adds rates, in the language of the page', async () => {
  const { walker } = await enter();
  await walker.submit(home, profile);
  await walker.open(home);
  const sent = { ...registration, registration_country: 'US', registration_region: 'US-NY' };
  const { status, text } = await walker.submit(`${home}/registrations`, sent);
  expect(status).toBe(422);
  expect(text).toContain('href="#field-registration_region"');
  expect(text).toContain('There is no tax rate for US-NY. The operator of this installation adds rates');
  await walker.open(`${home}?lang=ar`);
  const arabic = await walker.submit(`${home}/registrations?lang=ar`, sent);
  expect(arabic.text).toContain('لا توجد نسبة ضريبة للمكان US-NY');
});

test('200: a registration whose rate the table has lost says so', async () => {
  const merchant = await createMerchant(app);
  await nameSeller(app, { merchant });
  const walker = await enterConsole(app, merchant.email);
  expect((await walker.open(home)).text).not.toContain('No rate');
  await app.pool.query(
    `INSERT INTO tax_registrations (merchant_id, country, region, scheme) VALUES ($1, 'US', 'US-NY', 'domestic')`,
    [merchant.id],
  );
  const { text } = await walker.open(home);
  expect(text).toContain('No rate');
  expect(text).toContain('US-NY');
});

test('200: sales in a country without a registration are listed', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, []);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'GB' }, shop.consumer);
  await paid(app, shop);
  const { text } = await (await enterConsole(app, shop.merchant.email)).open(home);
  expect(text).toContain('Sales without a registration');
  expect(text).toContain('Last year: 1 sales, €4.50');
});

test('303: the merchant chooses prices without tax, and the form shows it', async () => {
  const { walker, stored } = await enter();
  const option = (text: string, value: string) =>
    new RegExp(`<option[^>]*value="${value}"[^>]*>`).exec(text.slice(text.indexOf('name="prices_include_tax"')))?.[0];
  expect(option((await walker.open(home)).text, 'true')).toContain('selected');
  await walker.submit(home, { ...profile, prices_include_tax: 'false' });
  expect(await stored()).toMatchObject({ prices_include_tax: false });
  const { text } = await walker.open(home);
  expect(option(text, 'false')).toContain('selected');
  expect(text).toContain('a running subscription keeps what it was bought with');
});

test('422: Stripe Tax without a Stripe account is named beside its field, in the language of the page', async () => {
  const { walker, stored } = await enter();
  const sent = { ...profile, calculation: 'provider' };
  const refused = await walker.submit(home, sent);
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('href="#field-calculation"');
  expect(refused.text).toContain('Stripe Tax needs a Stripe account of your own. Connect it first.');
  await walker.open(`${home}?lang=ar`);
  const arabic = await walker.submit(`${home}?lang=ar`, { ...sent, prices_include_tax: 'false' });
  expect(arabic.text).toContain('تحتاج Stripe Tax إلى حساب Stripe خاص بك');
  expect(await stored()).toMatchObject({ profile: null });
});

test('200: what Stripe did not record is listed', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const token = await paid(app, shop);
  await app.pool.query(
    `INSERT INTO provider_taxes (charge_id, merchant_id, provider, calculation, state, problem)
     SELECT id, merchant_id, 'stripe', 'taxcalc_1', 'refused', 'The calculation has expired.' FROM charges
     WHERE trx_token = $1`,
    [token],
  );
  const { text } = await (await enterConsole(app, shop.merchant.email)).open(home);
  expect(text).toContain('Not in the tax reports of Stripe');
  expect(text).toContain(token);
  expect(text).toContain('The calculation has expired.');
});
