import { type RunningWorker } from '../../workers/worker';
import { call } from '../support/client';
import { type Shop } from '../support/factories';
import { issued } from '../support/invoices';
import { journalFaults } from '../support/journal';
import { mailsTo } from '../support/ledger';
import { createOwnShop, startAccountsApp, subscribeWithForm, type AccountsApp } from '../support/paymentAccounts';
import { createProvidedShop, recordHour, sellOwn, taxSettingsOf } from '../support/providerTaxes';
import { nameSeller, seller, taxedCharges } from '../support/tax';
import { until } from '../support/until';

/** The tax is calculated by the merchant's account at Stripe (Stripe Tax), as the stand-in plays it. */

let app: AccountsApp;
let worker: RunningWorker;

beforeAll(async () => {
  app = await startAccountsApp();
  worker = await app.startWorker();
});
afterEach(() => app.stripe.mend());
afterAll(() => app.stop());

const calculations = '/v1/tax/calculations';

describe('the choice', () => {
  test('200: with an account of one’s own', async () => {
    const { shop } = await createProvidedShop(app);
    const { body } = await call(app, 'GET', '/v2/tax/settings', undefined, shop.merchant);
    expect(body).toMatchObject({ profile: { calculation: 'provider' }, not_recorded: [] });
  });

  test.each([['the sandbox, which calculates no tax', {}, 'needs a Stripe account of your own']])(
    '422: %s',
    async (_, more, text) => {
      const { shop } = await createOwnShop(app);
      expect((await call(app, 'DELETE', '/payments/provider', undefined, shop.merchant)).status).toBeLessThan(300);
      const sent = { ...seller, calculation: 'provider', ...more };
      const { status, body } = await call(app, 'PUT', '/v2/tax/settings', sent, shop.merchant);
      expect([status, body]).toMatchObject([422, { errors: { calculation: expect.stringContaining(text) as string } }]);
    },
  );
});

describe('a charge', () => {
  test('has the tax of Stripe, within the price, and the same in its invoice', async () => {
    const own = await createProvidedShop(app, {
      country: 'AT',
      postal_code: '1010',
      city: 'Wien',
      address_line: 'Ring 1',
    });
    await sellOwn(app, own);
    const { shop, account } = own;
    expect(await taxedCharges(app, shop.merchant)).toMatchObject([
      { status: 'paid', net: 832, tax: 167, gross: 999, rate: 20_000, country: 'AT' },
    ]);
    expect(await issued(app, shop.merchant)).toMatchObject([{ kind: 'invoice', net: 832, tax: 167, gross: 999 }]);
    const asked = [...account.taxes.calculations.values()].at(-1);
    expect(asked?.['customer_details']).not.toHaveProperty('tax_ids');
    expect(asked).toMatchObject({
      currency: 'eur',
      line_items: [{ amount: '999', tax_behavior: 'inclusive', tax_code: 'txcd_10000000' }],
      customer_details: {
        address: { country: 'AT', postal_code: '1010', city: 'Wien', line1: 'Ring 1' },
        address_source: 'billing',
      },
    });
    expect(await journalFaults(app.pool, shop.merchant.id)).toEqual([]);
  });

  test('in the United States has the taxes of all jurisdictions', async () => {
    const own = await createProvidedShop(app, { country: 'US', region: 'US-NY', postal_code: '10118' });
    await sellOwn(app, own);
    const { rows } = await app.pool.query(
      'SELECT treatment, region, rate_milli, net_minor::int, tax_minor::int FROM charge_taxes WHERE merchant_id = $1',
      [own.shop.merchant.id],
    );
    // 4, 4.5 and 0.375 % are 37, 41 and 3 cents, each rounded by Stripe.
    expect(rows).toEqual([
      { treatment: 'domestic', region: 'US-NY', rate_milli: 8_875, net_minor: 918, tax_minor: 81 },
    ]);
  });

  test('of a business abroad has the reverse charge, by its number', async () => {
    const own = await createProvidedShop(app, { country: 'AT', tax_number: 'ATU13585627' });
    await sellOwn(app, own);
    expect(await issued(app, own.shop.merchant)).toMatchObject([{ tax: 0, gross: 999 }]);
    const { rows } = await app.pool.query('SELECT treatment FROM charge_taxes WHERE merchant_id = $1', [
      own.shop.merchant.id,
    ]);
    expect(rows).toEqual([{ treatment: 'reverse_charge' }]);
    expect([...own.account.taxes.calculations.values()].at(-1)).toMatchObject({
      customer_details: { tax_ids: [{ type: 'eu_vat', value: 'ATU13585627' }] },
    });
  });

  test.each<[string, Record<string, string>, country: string, treatment: string, tax: number]>([
    ['a consumer in Monaco', { country: 'MC', postal_code: '98000', city: 'Monaco' }, 'FR', 'oss', 160],
    ['a business in Monaco', { country: 'MC', tax_number: 'FR40303265045' }, 'FR', 'reverse_charge', 0],
    ['a consumer on the Isle of Man', { country: 'IM', postal_code: 'IM1 1AA' }, 'GB', 'domestic', 160],
    ['a business on the Isle of Man', { country: 'IM', tax_number: 'GB123456789' }, 'GB', 'reverse_charge', 0],
  ])(
    'of %s has the tax of the country to whose tax territory the place belongs',
    async (_, address, country, treatment, tax) => {
      const own = await createProvidedShop(app, address);
      await sellOwn(app, own);
      const text = 'SELECT country, treatment, tax_minor::int AS tax FROM charge_taxes WHERE merchant_id = $1';
      const { rows } = await app.pool.query(text, [own.shop.merchant.id]);
      expect(rows).toEqual([{ country, treatment, tax }]);
      // The postal code and the city are those of another country for Stripe.
      expect([...own.account.taxes.calculations.values()].at(-1)?.['customer_details']).toEqual({
        address: { country },
        address_source: 'billing',
        ...(treatment === 'reverse_charge' && {
          tax_ids: [{ type: country === 'FR' ? 'eu_vat' : 'gb_vat', value: address['tax_number'] }],
        }),
      });
    },
  );

  test.each([
    ['Stripe does not locate', { country: 'US', region: 'US-NY', postal_code: '00000' }, 'US'],
    ['is where the seller has no registration', { country: 'JP' }, 'JP'],
  ])('of a customer who %s has no tax, and the settings list it', async (_, address, country) => {
    const own = await createProvidedShop(app, address);
    await sellOwn(app, own);
    expect(await taxSettingsOf(app, own.shop)).toMatchObject({
      missing: [{ country, treatment: 'not_registered', amount: 9.99 }],
    });
    await recordHour();
    expect(await taxSettingsOf(app, own.shop)).toMatchObject({ not_recorded: [] });
  });

  test('waits while Stripe Tax does not answer, and is then sent once with its tax', async () => {
    const own = await createProvidedShop(app);
    app.stripe.fail(calculations, '500 after the work', 3);
    await sellOwn(app, own);
    expect(await taxedCharges(app, own.shop.merchant)).toMatchObject([{ status: 'paid', tax: 160, gross: 999 }]);
    expect(own.account.intents.size).toBe(1);
  });

  test('is never sent while Stripe Tax is not set up, and the merchant gets one mail', async () => {
    const own = await createProvidedShop(app);
    const message = 'You must set your origin address to enable automatic tax calculation.';
    app.stripe.refuse(calculations, 400, { type: 'invalid_request_error', code: 'stripe_tax_inactive', message });
    await subscribeWithForm(app, own.shop, own.account);
    const mails = async () =>
      (await mailsTo(app, own.shop.merchant.id)).filter((template) => template === 'charges_refused');
    const charges = () => taxedCharges(app, own.shop.merchant);
    // The run gives the charge up, because the customer waits.
    await until(async () => (await charges())[0]?.status === 'declined');
    expect(await mails()).toHaveLength(1);
    expect(own.account.intents.size).toBe(0);
    expect(await charges()).toMatchObject([{ status: 'declined', tax: null }]);
  });

  test('is sent once a person has set Stripe Tax up', async () => {
    const own = await createProvidedShop(app);
    // No run gives the charge up meanwhile.
    await worker.stop();
    await subscribeWithForm(app, own.shop, own.account);
    const text = 'SELECT id FROM subscriptions WHERE merchant_id = $1';
    const { rows } = await app.pool.query<{ id: number }>(text, [own.shop.merchant.id]);
    const { chargeCycle } = await import('../../src/subscriptions/charges/charges.js');
    const charge = { subscriptionId: rows[0]?.id ?? 0, cycle: 1, attempt: 1 };
    app.stripe.refuse(calculations, 403, { type: 'invalid_request_error', message: 'The key has no permission.' });
    expect(await chargeCycle(charge)).toMatchObject({ outcome: 'misconfigured' });
    const charges = () => taxedCharges(app, own.shop.merchant);
    expect(await charges()).toMatchObject([{ status: 'open', tax: null }]);
    app.stripe.mend();
    await chargeCycle(charge);
    expect(await charges()).toMatchObject([{ status: 'paid', tax: 160 }]);
    expect(own.account.intents.size).toBe(1);
    worker = await app.startWorker();
  });
});

describe('the quote', () => {
  const quote = ({ fee, consumer }: Shop) =>
    call<Record<string, unknown>>(app, 'GET', `/v2/tax/quotes/${fee.id}`, undefined, consumer);

  test('200: the tax of Stripe', async () => {
    const { shop } = await createProvidedShop(app);
    const { status, body } = await quote(shop);
    expect([status, body]).toMatchObject([200, { has_tax: true, amount: 9.99, net_amount: 8.39, tax_amount: 1.6 }]);
  });

  test('200: without an answer it has the same total and no tax, rather than a wrong one', async () => {
    const { shop } = await createProvidedShop(app);
    app.stripe.fail(calculations, '500 after the work');
    const { status, body } = await quote(shop);
    expect([status, body]).toMatchObject([200, { has_tax: false, amount: 9.99 }]);
  });
});

test('own rates: a merchant with the table asks Stripe for nothing', async () => {
  const own = await createOwnShop(app);
  await nameSeller(app, own.shop);
  await sellOwn(app, own);
  await recordHour();
  expect(await taxedCharges(app, own.shop.merchant)).toMatchObject([{ status: 'paid', tax: 160 }]);
  expect(own.account.taxes.calculations.size).toBe(0);
});
