import { call } from '../support/client';
import { createPayShop, paid } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { saying, startViesServer, type ViesServer } from '../support/viesServer';
import { atHome, nameSeller } from '../support/tax';

/** A business is taxed where it is established, and not where its card and its network address are. */

let app: TestApp;
let vies: ViesServer;

beforeAll(async () => {
  vies = await startViesServer();
  app = await startApp({ VIES_URL: vies.url, TRUSTED_PROXIES: 'loopback' });
  await app.startWorker();
});
afterAll(async () => {
  await app.stop();
  await vies.stop();
});

const berlin = { 'X-Forwarded-For': '85.214.132.117' };
const german = [atHome, { country: 'DE', scheme: 'oss', number: 'EU276000001' }];
const french = [
  { country: 'FR', scheme: 'domestic' },
  { country: 'FR', scheme: 'oss' },
];
const austria = { country: 'AT', tax_number: 'ATU13585627' };
const britain = { country: 'GB', tax_number: 'GB123456789' };

/** The tax of a customer whose card and network address are German. */
async function taxOf(
  country: string,
  registrations: readonly Record<string, unknown>[],
  details: object,
  told: string,
) {
  const shop = await createPayShop(app, { amount: '11.90' });
  await nameSeller(app, shop, registrations, { country });
  await paid(app, shop);
  await app.pool.query(`UPDATE cards SET country = 'DE' WHERE account_id = $1`, [shop.consumer.id]);
  vies.answer = saying(told);
  const set = await call(app, 'PUT', '/v2/accounts/billing-details', { ...details }, shop.consumer);
  expect(set.status).toBe(200);
  const caller = { ...shop.consumer, headers: berlin };
  return (await call(app, 'GET', `/v2/tax/quotes/${shop.fee.id}`, undefined, caller)).body;
}

test.each([
  ['Austria, that VIES knows', 'DE', german, austria, 'VALID', ['reverse_charge', 'AT', 0]],
  ['Austria, while VIES does not answer', 'DE', german, austria, 'MS_UNAVAILABLE', ['reverse_charge', 'AT', 0]],
  [
    'Germany, the country of the seller',
    'DE',
    german,
    { country: 'DE', tax_number: 'DE136695976' },
    'VALID',
    ['domestic', 'DE', 19],
  ],
  ['Britain, which no register confirms: a consumer in Germany', 'FR', french, britain, 'VALID', ['oss', 'DE', 19]],
  ['nowhere: a consumer in Germany', 'FR', french, { country: 'AT' }, 'VALID', ['oss', 'DE', 19]],
] as const)('a number of %s', async (_, seller, registrations, details, told, tax) => {
  const { treatment, tax_country: country, tax_rate: rate } = await taxOf(seller, registrations, details, told);
  expect([treatment, country, rate]).toEqual(tax);
});

test('the tax of a charge keeps the number and the register as evidence', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, german);
  vies.answer = saying('VALID');
  await call(app, 'PUT', '/v2/accounts/billing-details', austria, shop.consumer);
  await paid(app, shop);
  const { rows } = await app.pool.query(
    'SELECT treatment, country, is_proved, evidence FROM charge_taxes WHERE merchant_id = $1',
    [shop.merchant.id],
  );
  const evidence = { billing: 'AT', number: 'AT', register: 'AT' };
  expect(rows).toMatchObject([{ treatment: 'reverse_charge', country: 'AT', is_proved: true, evidence }]);
});

test('a stored number of another country than the address does not count', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, german);
  vies.answer = saying('VALID');
  await call(app, 'PUT', '/v2/accounts/billing-details', austria, shop.consumer);
  await app.pool.query(`UPDATE billing_details SET country = 'FR' WHERE account_id = $1`, [shop.consumer.id]);
  const { body } = await call(app, 'GET', `/v2/tax/quotes/${shop.fee.id}`, undefined, shop.consumer);
  expect(body).toMatchObject({ treatment: 'oss', tax_country: 'FR', tax_rate: 20 });
});
