import { type ServerResponse } from 'node:http';
import { signedInAt } from '../support/checkout';
import { call } from '../support/client';
import { type Shop } from '../support/factories';
import { createPayShop } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { seller } from '../support/tax';
import { saying, startViesServer, type ViesServer } from '../support/viesServer';

/** Tax numbers of the European Union are looked up in VIES. */

let app: TestApp;
let vies: ViesServer;

beforeAll(async () => {
  vies = await startViesServer();
  app = await startApp({ VIES_URL: `${vies.url}/` });
});
beforeEach(() => {
  vies.asked.length = 0;
  vies.answer = saying('VALID');
});
afterAll(async () => {
  await app.stop();
  await vies.stop();
});

const path = '/v2/accounts/billing-details';
const austria = { country: 'AT', tax_number: 'ATU13585627' };
const germany = { country: 'DE', tax_number: 'DE136695976' };
const set = ({ consumer }: Shop, fields: Record<string, unknown>) =>
  call<{ tax_number_confirmed_at: number | null; errors: Record<string, string> }>(app, 'PUT', path, fields, consumer);

test('200: a registered number is confirmed, with the consultation number for a seller with a number', async () => {
  const shop = await createPayShop(app);
  const profile = { ...seller, tax_number: 'DE136695976' };
  expect((await call(app, 'PUT', '/v2/tax/settings', profile, shop.merchant)).status).toBe(200);
  vies.answer = saying('VALID', 'WAPIAAAAX1');
  const { status, body } = await set(shop, austria);
  expect([status, body.tax_number_confirmed_at]).toEqual([200, expect.any(Number)]);
  expect(vies.asked).toEqual(['/rest-api/ms/AT/vat/U13585627?requesterMemberStateCode=DE&requesterNumber=136695976']);
  const { rows } = await app.pool.query(
    'SELECT tax_number_confirmation AS confirmation FROM billing_details WHERE account_id = $1',
    [shop.consumer.id],
  );
  expect(rows).toEqual([{ confirmation: 'WAPIAAAAX1' }]);
});

test('200: a confirmed number is not looked up again, another one is', async () => {
  const shop = await createPayShop(app);
  const { body } = await set(shop, austria);
  const again = await set(shop, { ...austria, city: 'Wien' });
  expect(again.body).toMatchObject({ city: 'Wien', tax_number_confirmed_at: body.tax_number_confirmed_at });
  expect(vies.asked).toEqual(['/rest-api/ms/AT/vat/U13585627']);
  await set(shop, germany);
  expect(vies.asked).toEqual(['/rest-api/ms/AT/vat/U13585627', '/rest-api/ms/DE/vat/136695976']);
});

test('422: a number that is not registered is named, and nothing is stored', async () => {
  const shop = await createPayShop(app);
  vies.answer = saying('INVALID');
  const { status, body } = await set(shop, austria);
  expect([status, Object.keys(body.errors)]).toEqual([422, ['tax_number']]);
  expect((await call(app, 'GET', path, undefined, shop.consumer)).body).toMatchObject({ country: '', tax_number: '' });
});

test('422: a number that was accepted without an answer is removed when VIES does not know it', async () => {
  const shop = await createPayShop(app);
  vies.answer = saying('MS_UNAVAILABLE');
  expect((await set(shop, { ...austria, city: 'Wien' })).status).toBe(200);
  vies.answer = saying('INVALID');
  const changed = await set(shop, { country: 'DE', tax_number: 'DE136695976' });
  expect(changed.status).toBe(422);
  const stored = async () => (await call(app, 'GET', path, undefined, shop.consumer)).body;
  expect(await stored()).toMatchObject({ country: 'AT', tax_number: 'ATU13585627' });
  expect((await set(shop, { ...austria, city: 'Graz' })).status).toBe(422);
  expect(await stored()).toMatchObject({ country: 'AT', city: 'Wien', tax_number: '' });
});

test.each<[string, (response: ServerResponse) => void]>([
  ['the member state does not answer', saying('MS_UNAVAILABLE')],
  ['too many ask at the same time', saying('GLOBAL_MAX_CONCURRENT_REQ')],
  ['the answer is not JSON', (response) => void response.writeHead(500).end('<html>')],
  ['the answer has another shape', (response) => void response.end('{"actionSucceed": false}')],
  ['the answer leads elsewhere', (response) => void response.writeHead(302, { Location: 'http://127.0.0.1:9' }).end()],
  ['it does not answer within five seconds', () => undefined],
  ['the connection breaks', (response) => void response.destroy()],
])('200: a number is accepted by its form while %s, and looked up again later', async (_what, answer) => {
  const shop = await createPayShop(app);
  vies.answer = answer;
  const { status, body } = await set(shop, austria);
  expect([status, body.tax_number_confirmed_at]).toEqual([200, null]);
  vies.answer = saying('VALID');
  expect((await set(shop, austria)).body.tax_number_confirmed_at).toEqual(expect.any(Number));
});

test.each([
  ['a number of another country', { country: 'CH', tax_number: 'CHE109322551' }],
  ['details without a number', { country: 'AT' }],
  ['a number of the Canary Islands', { country: 'ES', postal_code: '35001', tax_number: 'ESB58378431' }],
])('200: %s is not looked up', async (_what, fields) => {
  const { status, body } = await set(await createPayShop(app), fields);
  expect([status, body.tax_number_confirmed_at]).toEqual([200, null]);
  expect(vies.asked).toEqual([]);
});

test('200: a number is looked up when its business moves from the Canary Islands to the mainland', async () => {
  const shop = await createPayShop(app);
  const address = { country: 'ES', tax_number: 'ESB58378431' };
  expect(await set(shop, { ...address, region: 'ES-TF' })).toMatchObject({ body: { tax_number_state: 'form' } });
  expect(await set(shop, address)).toMatchObject({ body: { tax_number_state: 'confirmed' } });
  expect(vies.asked).toEqual(['/rest-api/ms/ES/vat/B58378431']);
});

test('the portal looks a number up again until it is confirmed', async () => {
  const shop = await createPayShop(app);
  const walker = await signedInAt(app, shop);
  const portal = `/portal/${shop.merchant.uuid}/billing`;
  const sent = { billing_country: 'AT', billing_tax_number: 'ATU13585627' };
  for (const told of ['MS_UNAVAILABLE', 'VALID', 'VALID']) {
    vies.answer = saying(told);
    await walker.open(portal);
    expect((await walker.submit(portal, sent)).status).toBe(303);
  }
  expect(vies.asked).toHaveLength(2);
});

test('the portal says in the language of the customer that a number is not registered', async () => {
  const shop = await createPayShop(app);
  const walker = await signedInAt(app, shop);
  const portal = `/portal/${shop.merchant.uuid}/billing`;
  await walker.open(`${portal}?lang=de`);
  vies.answer = saying('INVALID');
  const sent = { billing_country: 'AT', billing_tax_number: 'ATU13585627' };
  const refused = await walker.submit(`${portal}?lang=de`, sent);
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('nicht für den Handel in der Europäischen Union registriert');
});
