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
