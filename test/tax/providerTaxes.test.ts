import { call } from '../support/client';
import { reaches } from '../support/factories';
import { issued } from '../support/invoices';
import { journalFaults } from '../support/journal';
import { mailsTo } from '../support/ledger';
import {
  connect,
  createAccount,
  createOwnShop,
  startAccountsApp,
  subscribeWithForm,
  type AccountsApp,
  type StripeAccount,
} from '../support/paymentAccounts';
import { refund, refunded } from '../support/payments';
import { type Shop } from '../support/factories';
import { atHome, nameSeller, seller, taxedCharges } from '../support/tax';
import { until } from '../support/until';

/** The tax is calculated by the merchant's account at Stripe (Stripe Tax), as the stand-in plays it. */

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});
afterEach(() => app.stripe.mend());
afterAll(() => app.stop());

const calculations = '/v1/tax/calculations';
const recordings = '/v1/tax/transactions/create_from_calculation';
const reversals = '/v1/tax/transactions/create_reversal';

interface Own {
  shop: Shop;
  account: StripeAccount;
}

/** A shop whose account calculates the tax, with a customer in a place. The price is 9.99 EUR. */
async function createTaxedShop(address: Record<string, unknown> = { country: 'DE' }): Promise<Own> {
  const own = await createOwnShop(app);
  await nameSeller(app, own.shop, [atHome], { calculation: 'provider' });
  const { status } = await call(app, 'PUT', '/v2/accounts/billing-details', address, own.shop.consumer);
  expect(status).toBe(200);
  return own;
}

async function sell({ shop, account }: Own): Promise<string> {
  const { body } = await subscribeWithForm(app, shop, account);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  return body.subscription_id;
}

/** The hourly work. */
async function passHour(): Promise<void> {
  const { recordTaxes } = await import('../../src/tax/recordings.js');
  const { findTaxesOf } = await import('../../src/subscriptions/provider/taxAccounts.js');
  await recordTaxes(findTaxesOf);
}

const sentTo = (path: string, { id }: StripeAccount) =>
  app.stripe.sent.filter((sent) => sent.path === path && (sent.account === undefined || sent.account === id));
const settingsOf = async ({ merchant }: Shop) =>
  (await call<{ missing: unknown[]; not_recorded: unknown[] }>(app, 'GET', '/v2/tax/settings', undefined, merchant))
    .body;
const recorded = ({ taxes }: StripeAccount) =>
  taxes.transactions.map(({ type, reference, amount, tax }) => [type, reference, amount, tax]);

describe('the choice', () => {
  test('200: with an account of one’s own', async () => {
    const { shop } = await createTaxedShop();
    const { body } = await call(app, 'GET', '/v2/tax/settings', undefined, shop.merchant);
    expect(body).toMatchObject({ profile: { calculation: 'provider' }, not_recorded: [] });
  });

  test.each([
    ['the sandbox, which calculates no tax', {}, 'needs a Stripe account of your own'],
    ['prices without tax', { prices_include_tax: false }, 'needs prices that include tax'],
  ])('422: %s', async (_, more, text) => {
    const { shop } = await createOwnShop(app);
    if (text.includes('Stripe'))
      expect((await call(app, 'DELETE', '/payments/provider', undefined, shop.merchant)).status).toBeLessThan(300);
    const sent = { ...seller, calculation: 'provider', ...more };
    const { status, body } = await call(app, 'PUT', '/v2/tax/settings', sent, shop.merchant);
    expect([status, body]).toMatchObject([422, { errors: { calculation: expect.stringContaining(text) as string } }]);
  });
});

describe('a charge', () => {
  test('has the tax of Stripe, within the price, and the same in its invoice', async () => {
    const own = await createTaxedShop({ country: 'AT', postal_code: '1010', city: 'Wien', address_line: 'Ring 1' });
    await sell(own);
    const { shop, account } = own;
    expect(await taxedCharges(app, shop.merchant)).toMatchObject([
      { status: 'paid', net: 833, tax: 166, gross: 999, rate: 20_000, country: 'AT' },
    ]);
    expect(await issued(app, shop.merchant)).toMatchObject([{ kind: 'invoice', net: 833, tax: 166, gross: 999 }]);
    expect([...account.taxes.calculations.values()].at(-1)).toMatchObject({
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
    const own = await createTaxedShop({ country: 'US', region: 'US-NY', postal_code: '10118' });
    await sell(own);
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
    const own = await createTaxedShop({ country: 'AT', tax_number: 'ATU13585627' });
    await sell(own);
    expect(await issued(app, own.shop.merchant)).toMatchObject([{ tax: 0, gross: 999 }]);
    const { rows } = await app.pool.query('SELECT treatment FROM charge_taxes WHERE merchant_id = $1', [
      own.shop.merchant.id,
    ]);
    expect(rows).toEqual([{ treatment: 'reverse_charge' }]);
    expect([...own.account.taxes.calculations.values()].at(-1)).toMatchObject({
      customer_details: { tax_ids: [{ type: 'eu_vat', value: 'ATU13585627' }] },
    });
  });

  test.each([
    ['Stripe does not locate', { country: 'US', region: 'US-NY' }, 'US'],
    ['is where the seller has no registration', { country: 'JP' }, 'JP'],
  ])('of a customer who %s has no tax, and the settings list it', async (_, address, country) => {
    const own = await createTaxedShop(address);
    await sell(own);
    expect(await settingsOf(own.shop)).toMatchObject({
      missing: [{ country, treatment: 'not_registered', amount: 9.99 }],
    });
    await passHour();
    expect(await settingsOf(own.shop)).toMatchObject({ not_recorded: [] });
  });

  test('waits while Stripe Tax does not answer, and is then sent once with its tax', async () => {
    const own = await createTaxedShop();
    app.stripe.fail(calculations, '500 after the work', 3);
    await sell(own);
    expect(await taxedCharges(app, own.shop.merchant)).toMatchObject([{ status: 'paid', tax: 160, gross: 999 }]);
    expect(own.account.intents.size).toBe(1);
  });

  test('is never sent while Stripe Tax is not set up, and the merchant gets one mail', async () => {
    const own = await createTaxedShop();
    const message = 'You must set your origin address to enable automatic tax calculation.';
    app.stripe.refuse(calculations, 400, { type: 'invalid_request_error', code: 'stripe_tax_inactive', message });
    const { body } = await subscribeWithForm(app, own.shop, own.account);
    const mails = async () =>
      (await mailsTo(app, own.shop.merchant.id)).filter((template) => template === 'charges_refused');
    await until(async () => (await mails()).length > 0);
    expect(own.account.intents.size).toBe(0);
    app.stripe.mend();
    await reaches(app, own.shop.consumer, body.subscription_id, 'active').catch(() => undefined);
    for (const { status, tax } of await taxedCharges(app, own.shop.merchant))
      if (status === 'paid') expect(tax).toBe(160);
    expect(await mails()).toHaveLength(1);
  });
});

describe('the quote', () => {
  const quote = ({ fee, consumer }: Shop) =>
    call<Record<string, unknown>>(app, 'GET', `/v2/tax/quotes/${fee.id}`, undefined, consumer);

  test('200: the tax of Stripe', async () => {
    const { shop } = await createTaxedShop();
    const { status, body } = await quote(shop);
    expect([status, body]).toMatchObject([200, { has_tax: true, amount: 9.99, net_amount: 8.39, tax_amount: 1.6 }]);
  });

  test('200: without an answer it has the same total and no tax, rather than a wrong one', async () => {
    const { shop } = await createTaxedShop();
    app.stripe.fail(calculations, '500 after the work');
    const { status, body } = await quote(shop);
    expect([status, body]).toMatchObject([200, { has_tax: false, amount: 9.99 }]);
  });
});

describe('the reports of Stripe', () => {
  test('have each paid charge once, under its transaction', async () => {
    const own = await createTaxedShop();
    const token = await sell(own);
    await passHour();
    await passHour();
    expect(recorded(own.account)).toEqual([['transaction', `${token}-1-1`, 999, 160]]);
    const keys = sentTo(recordings, own.account).filter(({ fields }) => fields['reference'] === `${token}-1-1`);
    expect(keys.map(({ key }) => key)).toEqual([`tax:${token}-1-1`]);
  });

  test('have it once although the answer was lost', async () => {
    const own = await createTaxedShop();
    const token = await sell(own);
    app.stripe.fail(recordings, '500 after the work');
    await passHour();
    expect(await settingsOf(own.shop)).toMatchObject({ not_recorded: [] });
    await passHour();
    expect(recorded(own.account)).toEqual([['transaction', `${token}-1-1`, 999, 160]]);
  });

  test('have each refund with exactly the tax that we return', async () => {
    const own = await createTaxedShop();
    const token = `${await sell(own)}-1-1`;
    for (const amount of ['3.33', '3.33', '3.33']) {
      await refund(app, own.shop.merchant, token, { amount });
      await refunded(app, token);
    }
    await passHour();
    const notes = (await issued(app, own.shop.merchant)).filter(({ kind }) => kind === 'credit_note');
    const reversed = own.account.taxes.transactions.filter(({ type }) => type === 'reversal');
    expect(reversed.map(({ amount, tax }) => [amount, tax])).toEqual(notes.map(({ gross, tax }) => [gross, tax]));
    const sum = own.account.taxes.transactions.reduce((total, { amount, tax }) => total + amount + tax, 0);
    expect(sum).toBe(0);
    await passHour();
    expect(own.account.taxes.transactions).toHaveLength(4);
  });

  test('get a refund after the sale, also if the sale could not be recorded before', async () => {
    const own = await createTaxedShop();
    const token = `${await sell(own)}-1-1`;
    await refund(app, own.shop.merchant, token, {});
    await refunded(app, token);
    app.stripe.fail(recordings, '500 after the work');
    app.stripe.fail(reversals, '500 after the work');
    await passHour();
    await passHour();
    await passHour();
    expect(recorded(own.account)).toMatchObject([
      ['transaction', token, 999, 160],
      ['reversal', expect.stringMatching(/./), -999, -160],
    ]);
  });

  test('lack what Stripe refuses to record, and the settings name it', async () => {
    const own = await createTaxedShop();
    const token = `${await sell(own)}-1-1`;
    own.account.taxes.calculations.clear();
    await passHour();
    await refund(app, own.shop.merchant, token, {});
    await refunded(app, token);
    await passHour();
    expect(await settingsOf(own.shop)).toMatchObject({
      not_recorded: [{ transaction: token, problem: expect.stringContaining('No such calculation') as string }],
    });
    expect(own.account.taxes.transactions).toEqual([]);
  });

  test('of one account wait for it, and those of others do not', async () => {
    const [one, other] = [await createTaxedShop(), await createTaxedShop()];
    await sell(one);
    await sell(other);
    await call(app, 'DELETE', '/payments/provider', undefined, one.shop.merchant);
    await connect(app, one.shop.merchant, createAccount(app));
    one.account.isAuthorized = false;
    await passHour();
    expect(other.account.taxes.transactions).toHaveLength(1);
  });
});

test('own rates: a merchant with the table asks Stripe for nothing', async () => {
  const own = await createOwnShop(app);
  await nameSeller(app, own.shop);
  await sell(own);
  await passHour();
  expect(await taxedCharges(app, own.shop.merchant)).toMatchObject([{ status: 'paid', tax: 160 }]);
  expect(own.account.taxes.calculations.size).toBe(0);
});
