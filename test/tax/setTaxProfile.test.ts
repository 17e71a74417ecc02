import { shownPriceRules } from '../../src/kit/shownPriceRules';
import { call } from '../support/client';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { seller } from '../support/tax';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the seller is named, and named again', async () => {
  const { merchant } = await createPayShop(app);
  const first = await call(app, 'PUT', '/v2/tax/settings', { ...seller, tax_number: 'de 136 695 976' }, merchant);
  expect(first).toMatchObject({ status: 200, body: { profile: { ...seller, tax_number: 'DE136695976' } } });
  const again = { ...seller, seller_name: 'Other Ltd', item_kind: 'press' };
  const second = await call(app, 'PUT', '/v2/tax/settings', again, merchant);
  expect(second.body).toMatchObject({ profile: { seller_name: 'Other Ltd', tax_number: '', item_kind: 'press' } });
});

test('200: the text for documents is replaced, and empty without the field; 422 if it is too long', async () => {
  const { merchant } = await createPayShop(app);
  const put = (fields: object) => call(app, 'PUT', '/v2/tax/settings', { ...seller, ...fields }, merchant);
  expect(await put({ invoice_note: 'HRB 1' })).toMatchObject({ body: { profile: { invoice_note: 'HRB 1' } } });
  expect(await put({})).toMatchObject({ body: { profile: { invoice_note: '' } } });
  expect(await put({ invoice_note: 'x'.repeat(501) })).toMatchObject({ status: 422 });
});

test.each([
  ['of a German tax office', 'DE', ' 12/345/67890 ', '12/345/67890'],
  ['of Japan', 'JP', 'T1234567890123', 'T1234567890123'],
  ['of the United States', 'US', '12-3456789', '12-3456789'],
  ['of Switzerland', 'CH', 'CHE-107.787.577 MWST', 'CHE107787577MWST'],
  ['of value added tax, without its country', 'DE', '136 695 976', 'DE136695976'],
])('200: a number %s', async (_, country, entered, tax_number) => {
  const { merchant } = await createPayShop(app);
  const sent = { ...seller, country, tax_number: entered };
  const { body } = await call(app, 'PUT', '/v2/tax/settings', sent, merchant);
  expect(body).toMatchObject({ profile: { country, tax_number } });
});

test.each([
  ['with a wrong check digit', 'DE', 'de 136 695 978'],
  ['with a digit too few', 'CH', 'CHE-107.787.57 MWST'],
])('422: a number %s would stand on invoices', async (_, country, tax_number) => {
  const { merchant } = await createPayShop(app);
  const { status, body } = await call(app, 'PUT', '/v2/tax/settings', { ...seller, country, tax_number }, merchant);
  expect([status, body]).toMatchObject([422, { errors: { tax_number: expect.stringContaining('valid') as string } }]);
});

test('422: a name that is too long, and a country that is none', async () => {
  const { merchant } = await createPayShop(app);
  for (const [name, value] of [
    ['seller_name', 'x'.repeat(251)],
    ['country', 'Germany'],
  ] as const) {
    const { status, body } = await call<{ errors: object }>(
      app,
      'PUT',
      '/v2/tax/settings',
      { ...seller, [name]: value },
      merchant,
    );
    expect([status, Object.keys(body.errors)]).toEqual([422, [name]]);
  }
});

test('200: prices are shown as in the country of the visitor, unless the merchant chooses one form; 422 for another word', async () => {
  const { merchant } = await createPayShop(app);
  const put = (fields: object) => call(app, 'PUT', '/v2/tax/settings', { ...seller, ...fields }, merchant);
  expect(await put({})).toMatchObject({ body: { profile: { shown_prices: 'by_country' } } });
  for (const shown_prices of [...shownPriceRules].reverse())
    expect(await put({ shown_prices })).toMatchObject({ status: 200, body: { profile: { shown_prices } } });
  expect(await put({ shown_prices: 'gross' })).toMatchObject({
    status: 422,
    body: { errors: { shown_prices: expect.any(String) as string } },
  });
});

test('200: prices include tax, unless the merchant says otherwise', async () => {
  const [{ merchant }, other] = [await createPayShop(app), await createPayShop(app)];
  const put = async (fields: Record<string, unknown>) =>
    (await call(app, 'PUT', '/v2/tax/settings', { ...seller, ...fields }, merchant)).body;
  expect(await put({ prices_include_tax: false })).toMatchObject({ prices_include_tax: false });
  expect(await put({ prices_include_tax: 'true' })).toMatchObject({ prices_include_tax: true });
  expect(await put({ prices_include_tax: '0' })).toMatchObject({ prices_include_tax: false });
  const { body } = await call(app, 'GET', '/v2/tax/settings', undefined, other.merchant);
  expect(body).toMatchObject({ prices_include_tax: true });
  expect(await put({})).toMatchObject({ prices_include_tax: true });
});

test.each(['maybe', 2, [true]])('422: prices_include_tax is %j, which is no boolean', async (value) => {
  const { merchant } = await createPayShop(app);
  const sent = { ...seller, prices_include_tax: value };
  const { status, body } = await call<{ errors: object }>(app, 'PUT', '/v2/tax/settings', sent, merchant);
  expect([status, Object.keys(body.errors)]).toEqual([422, ['prices_include_tax']]);
});

test('200: the prices of a merchant without tax say so, and those of another merchant do not', async () => {
  const [shop, other] = [await createPayShop(app), await createPayShop(app)];
  const feeOf = async ({ item, fee, consumer }: typeof shop) => {
    const { body } = await call<{ id: number }[]>(app, 'GET', `/items/${item.id}/access-fees`, undefined, consumer);
    return body.find(({ id }) => id === fee.id);
  };
  await call(app, 'PUT', '/v2/tax/settings', { ...seller, prices_include_tax: false }, shop.merchant);
  expect(await feeOf(shop)).toMatchObject({ amount: 4.5, tax_behavior: 'exclusive' });
  expect(Object.keys((await feeOf(other)) ?? {})).not.toContain('tax_behavior');
});
