import { call } from '../support/client';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const path = '/v2/accounts/billing-details';

test('200: all fields are replaced, and an absent one is emptied', async () => {
  const { consumer } = await createPayShop(app);
  const first = { country: 'CA', region: 'ca-on', city: 'Ottawa', name: 'Ana Ltd' };
  const set = await call(app, 'PUT', path, first, consumer);
  expect(set).toMatchObject({ status: 200, body: { ...first, region: 'CA-ON' } });
  const changed = { country: 'DE', tax_number: 'de 136695976' };
  const { body } = await call(app, 'PUT', path, changed, consumer);
  expect(body).toMatchObject({ country: 'DE', region: '', city: '', name: '', tax_number: 'DE136695976' });
});

test.each([
  ['35001', undefined, 'ES-GC'],
  ['28001', 'ES-GC', ''],
  ['', 'ES-GC', 'ES-GC'],
])('200: in Spain, postal code %p with region %p: the region is %p', async (postal_code, region, expected) => {
  const { consumer } = await createPayShop(app);
  const sent = { country: 'ES', postal_code, ...(region !== undefined && { region }) };
  expect(await call(app, 'PUT', path, sent, consumer)).toMatchObject({ status: 200, body: { region: expected } });
});

test.each([
  ['tax_number', { country: 'DE', tax_number: 'DE136695978' }],
  ['tax_number, which belongs to another country', { country: 'FR', tax_number: 'DE136695976' }],
  ['region', { country: 'DE', region: 'FR-75' }],
  ['country', { country: 'D' }],
])('422: a wrong %s is named, and nothing is stored', async (field, fields) => {
  const { consumer } = await createPayShop(app);
  const { status, body } = await call<{ errors: object }>(app, 'PUT', path, fields, consumer);
  expect([status, Object.keys(body.errors)]).toEqual([422, [field.split(',')[0]]]);
  expect((await call(app, 'GET', path, undefined, consumer)).body).toMatchObject({ country: '' });
});
