import { call, requestChange } from '../support/client';
import { pathOf, signedInAt } from '../support/checkout';
import { createFee, type Shop, type SubscriptionRow } from '../support/factories';
import { issued } from '../support/invoices';
import { journalFaults } from '../support/journal';
import { createOwnShop, startAccountsApp, subscribeWithForm, type AccountsApp } from '../support/paymentAccounts';
import { refund, refunded } from '../support/payments';
import { createNetProvidedShop, inNewYork, recordHour, sellOwn, taxSettingsOf } from '../support/providerTaxes';
import { nameSeller, taxedCharges } from '../support/tax';
import { passDays } from '../support/testClock';
import { until } from '../support/until';
import { createVoucher } from '../support/vouchers';

/** Prices without tax, whose tax the merchant's account at Stripe calculates (Stripe Tax), as the stand-in plays it. */

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});
afterEach(() => app.stripe.mend());
afterAll(() => app.stop());

const calculations = '/v1/tax/calculations';

const quote = ({ fee, consumer }: Shop) =>
  call<Record<string, unknown>>(app, 'GET', `/v2/tax/quotes/${fee.id}`, undefined, consumer);

const charges = ({ merchant }: Shop) => taxedCharges(app, merchant);

test('200: the quote has the total that is charged, and the charge has the tax of Stripe within it', async () => {
  const own = await createNetProvidedShop(app);
  const { shop, account } = own;
  const { body } = await quote(shop);
  // 8.875 % of 9.99.
  const total = { has_tax: true, amount: 10.88, net_amount: 9.99, tax_amount: 0.89, tax_behavior: 'exclusive' };
  expect(body).toMatchObject(total);
  const token = await sellOwn(app, own);
  expect(await charges(shop)).toMatchObject([{ status: 'paid', gross: 1088, rate: 8875, country: 'US' }]);
  const [charge] = await charges(shop);
  const behaviors = [...account.taxes.calculations.values()].map((asked) => asked['line_items']);
  expect(behaviors.at(0)).toMatchObject([{ tax_behavior: 'exclusive' }]);
  expect(behaviors.at(-1)).toMatchObject([{ tax_behavior: 'inclusive', amount: '1088' }]);
  // The documents and the reports of Stripe have the same tax, also after refunds.
  await refund(app, shop.merchant, `${token}-1-1`, { amount: '3.33' });
  await refunded(app, `${token}-1-1`);
  await refund(app, shop.merchant, `${token}-1-1`);
  await refunded(app, `${token}-1-1`, 2);
  const documents = await issued(app, shop.merchant);
  expect(documents[0]).toMatchObject({ gross: 1088, tax: charge?.tax });
  expect(documents.reduce((sum, { tax }) => sum + tax, 0)).toBe(0);
  await recordHour();
  expect(account.taxes.transactions.map(({ amount }) => amount).reduce((sum, one) => sum + one)).toBe(0);
  expect(account.taxes.transactions[0]).toMatchObject({ amount: 1088, tax: charge?.tax });
  expect(await taxSettingsOf(app, shop)).toMatchObject({ not_recorded: [] });
  expect(await journalFaults(app.pool, shop.merchant.id)).toEqual([]);
});

test('the lines of an invoice add up although Stripe rounds each jurisdiction', async () => {
  const own = await createNetProvidedShop(app, inNewYork, { setup_fee_amount: '1.00' });
  await sellOwn(app, own);
  const [invoice] = await issued(app, own.shop.merchant);
  // 8.875 % of 10.99 is 0.98. Stripe's 4, 4.5 and 0.375 % within 11.97 are 0.44, 0.49 and 0.04.
  expect(invoice).toMatchObject({ net: 1100, tax: 97, gross: 1197 });
  expect(invoice?.lines.map(({ kind }) => kind)).toEqual(['item', 'setup_fee']);
  expect(invoice?.lines.reduce((sum, { tax_minor }) => sum + tax_minor, 0)).toBe(97);
  expect(invoice?.lines.reduce((sum, { gross_minor }) => sum + gross_minor, 0)).toBe(1197);
});

test('a voucher at the checkout: the stored price without tax does not stand beside a total with tax', async () => {
  const { shop } = await createNetProvidedShop(app, { country: 'DE', postal_code: '10115' });
  await createVoucher(app, shop.merchant, { code: 'TENTH', discount: 10 });
  const walker = await signedInAt(app, shop);
  const fields = { fee: String(shop.fee.id), do: 'voucher', voucher_code: 'TENTH' };
  const { text } = await walker.submit(`${pathOf(shop)}/price`, fields);
  // 19 % of 8.99.
  expect(text).toContain('€10.70');
  expect(text).not.toContain('<s class');
});

describe('Stripe Tax does not answer', () => {
  test('503 service_unavailable: nothing is sold, because the total is not known', async () => {
    const { shop, account } = await createNetProvidedShop(app);
    app.stripe.fail(calculations, '500 after the work', 100);
    expect(await quote(shop)).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
    expect(await subscribeWithForm(app, shop, account)).toMatchObject({ status: 503 });
    expect(await charges(shop)).toEqual([]);
    app.stripe.mend();
    expect(await quote(shop)).toMatchObject({ status: 200, body: { amount: 10.88 } });
  });

  test('a renewal keeps the total of the last period, and its charge waits for the tax within it', async () => {
    const own = await createNetProvidedShop(app);
    const token = await sellOwn(app, own);
    app.stripe.fail(calculations, '500 after the work', 4);
    await passDays(app, own.shop.merchant, 32);
    await until(async () => (await charges(own.shop)).filter(({ status }) => status === 'paid').length === 2);
    expect((await charges(own.shop))[1]).toMatchObject({ gross: 1088, rate: 8875 });
    const { body } = await call<SubscriptionRow>(app, 'GET', `/subscriptions/${token}`, undefined, own.shop.consumer);
    expect(body.status).toBe('active');
  });
});

test('a renewal has the rate of its day', async () => {
  const own = await createNetProvidedShop(app);
  await sellOwn(app, own);
  own.account.taxes.ratesOf = () => [{ country: 'US', state: 'NY', percent: 10, reason: 'standard_rated' }];
  await passDays(app, own.shop.merchant, 32);
  await until(async () => (await charges(own.shop)).filter(({ status }) => status === 'paid').length === 2);
  expect((await charges(own.shop))[1]).toMatchObject({ net: 999, tax: 100, gross: 1099, rate: 10_000 });
});

test('a plan change is previewed and charged with the tax of Stripe', async () => {
  const own = await createNetProvidedShop(app);
  const token = await sellOwn(app, own);
  const { merchant, item, consumer } = own.shop;
  const yearly = await createFee(app, merchant, item.id, { amount: '100', period: 'year' });
  const choice = { access_fee_id: yearly.id };
  const preview = await call<{ total: number; lines: { amount: number }[]; tax_rate: number }>(
    ...([app, 'POST', `/subscriptions/${token}/switch:preview`, choice, consumer] as const),
  );
  expect(preview).toMatchObject({ status: 200, body: { tax_rate: 8.875 } });
  expect(preview.body.lines.map(({ amount }) => amount)).toEqual([expect.any(Number), 108.88]);
  const switched = await requestChange(app, 'POST', `/subscriptions/${token}/switch`, choice, consumer);
  expect(switched.status).toBe(200);
  const [, charge] = await charges(own.shop);
  expect(charge).toMatchObject({ gross: Math.round(preview.body.total * 100), rate: 8875, status: 'paid' });
});

test('a reverse charge and a place without a registration add nothing', async () => {
  const business = await createNetProvidedShop(app, { country: 'AT', tax_number: 'ATU13585627' });
  expect((await quote(business.shop)).body).toMatchObject({ amount: 9.99, treatment: 'reverse_charge' });
  const abroad = await createNetProvidedShop(app, { country: 'JP' });
  await sellOwn(app, abroad);
  expect(await charges(abroad.shop)).toMatchObject([{ gross: 999, tax: 0 }]);
});

test('422 invalid_input: an address that Stripe does not locate, by the name of the field', async () => {
  const { shop, account } = await createNetProvidedShop(app, { ...inNewYork, postal_code: '00000' });
  const wrong = { status: 422, body: { errors: { postal_code: expect.any(String) as string } } };
  expect(await quote(shop)).toMatchObject(wrong);
  expect(await subscribeWithForm(app, shop, account)).toMatchObject(wrong);
  expect(await charges(shop)).toEqual([]);
});

describe('the address', () => {
  const details = '/v2/accounts/billing-details';

  test.each([
    ['postal_code', { country: 'US', region: 'US-NY' }, inNewYork],
    ['region', { country: 'CA' }, { country: 'CA', region: 'CA-ON' }],
    ['region', { country: 'CA' }, { country: 'CA', postal_code: 'K1A 0A9' }],
  ])('422 invalid_input: without the %s that Stripe needs', async (field, short, complete) => {
    const { shop } = await createNetProvidedShop(app);
    const { status, body } = await call<{ errors: object }>(app, 'PUT', details, short, shop.consumer);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
    expect((await call(app, 'PUT', details, complete, shop.consumer)).status).toBe(200);
  });

  test('200: the table of rates needs no postal code', async () => {
    const { shop } = await createOwnShop(app);
    await nameSeller(app, shop);
    expect((await call(app, 'PUT', details, { country: 'US' }, shop.consumer)).status).toBe(200);
  });

  test('the checkout asks for it, and shows the total with it', async () => {
    const { shop } = await createNetProvidedShop(app);
    const walker = await signedInAt(app, shop);
    const form = { fee: String(shop.fee.id), do: 'billing', billing_country: 'US', billing_region: 'US-NY' };
    const short = await walker.submit(`${pathOf(shop)}/price`, form);
    expect(short.text).toMatch(/id="field-billing_postal_code"[^>]*aria-invalid="true"/);
    const complete = await walker.submit(`${pathOf(shop)}/price`, { ...form, billing_postal_code: '10118' });
    expect(complete.text).toContain('€10.88');
  });

  test('the checkout shows the price alone while Stripe Tax does not answer, and the form of the address stays', async () => {
    const { shop } = await createNetProvidedShop(app);
    const walker = await signedInAt(app, shop);
    app.stripe.fail(calculations, '500 after the work', 100);
    const { status, text } = await walker.open(pathOf(shop));
    expect([status, text.includes('billing_postal_code'), text.includes('€10.88')]).toEqual([200, true, false]);
  });
});
