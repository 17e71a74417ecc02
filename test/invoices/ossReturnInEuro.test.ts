import { type EcbServer, startEcbServer } from '../support/ecbServer';
import { call } from '../support/client';
import { createConsumer, type Shop } from '../support/factories';
import { changeInvoices, moveInvoices } from '../support/invoices';
import { createPayShop, paid, refund, refunded, withFee } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { atHome, nameSeller } from '../support/tax';

/** The return of the one stop shop is in euro, with the rates of the European Central Bank for the last day of the quarter. */

let app: TestApp;
let ecb: EcbServer;

beforeAll(async () => {
  ecb = await startEcbServer();
  app = await startApp({ ECB_RATES_URL: `${ecb.url}/` });
  await app.startWorker();
});
beforeEach(async () => {
  ecb.asked.length = 0;
  ecb.answer = undefined;
  // 30 June 2024 is a Sunday.
  ecb.published = {
    '2024-06-28': { USD: '1.0705', GBP: '0.84638' },
    '2024-07-02': { USD: '9.9999' },
    '2024-07-01': { USD: '1.0745', GBP: '0.84825', JPY: '173.46' },
    '2024-09-30': { USD: '1.1196' },
  };
  await app.pool.query('DELETE FROM euro_rates');
});
afterAll(async () => {
  await app.stop();
  await ecb.stop();
});

const ticket = { access_type: 'ppv', quantity: 2, period: 'day', description: 'Two days' };

/** Sales to a consumer in France, 20 % tax, one for each currency. */
async function sell(currencies: readonly string[]): Promise<Shop & { tokens: string[] }> {
  const shop = await createPayShop(app);
  await nameSeller(app, shop, [atHome, { country: 'DE', scheme: 'oss', number: 'EU276000001' }]);
  const tokens: string[] = [];
  for (const currency of currencies) tokens.push(await sellOne(shop, currency));
  return { ...shop, tokens };
}

async function sellOne(shop: Shop, currency: string): Promise<string> {
  const consumer = await createConsumer(app, shop.merchant);
  await call(app, 'PUT', '/v2/accounts/billing-details', { country: 'FR' }, consumer);
  const amount = currency === 'JPY' ? '1200' : '12.00';
  return paid(app, { ...(await withFee(app, shop, { ...ticket, currency, amount })), consumer });
}

async function linesOf({ merchant }: Pick<Shop, 'merchant'>, quarter = 'year=2024&quarter=2'): Promise<string[]> {
  const response = await fetch(`${app.address}/reporting/tax/oss?${quarter}`, {
    headers: { Authorization: `Bearer ${merchant.token}` },
  });
  const [, ...lines] = (await response.text()).split('\r\n');
  return lines.slice(0, -1);
}

interface Rate {
  currency: string;
  quarter: string;
  rate: number | null;
  published_on: string;
  problem: string;
}

const ratesOf = async ({ merchant }: Pick<Shop, 'merchant'>, query = 'year=2024&quarter=2') =>
  (await call<{ exchange_rates: Rate[] }>(app, 'GET', `/reporting/tax?${query}`, undefined, merchant)).body
    .exchange_rates;

const inQuarter = '2024-05-15T12:00:00Z';

test('200: one sum in euro, with the rates of the next publication after a Sunday, and each rate is asked once', async () => {
  const shop = await sell(['EUR', 'GBP', 'JPY', 'USD']);
  await moveInvoices(app, shop.merchant, inQuarter);
  // Net: 10.00 + 10.00 / 0.84825 + 1000 / 173.46 + 10.00 / 1.0745. Tax: a fifth of each.
  const line =
    'FR,STANDARD,20,EUR,36.87,7.37,,GBP 0.84825 (2024-07-01); JPY 173.46 (2024-07-01); USD 1.0745 (2024-07-01),';
  expect(await linesOf(shop)).toEqual([line]);
  expect(ecb.asked).toEqual([
    '/service/data/EXR/D..EUR.SP00.A?startPeriod=2024-06-30&endPeriod=2024-07-14&detail=dataonly&format=csvdata',
  ]);
  ecb.published = {};
  expect(await linesOf(shop)).toEqual([line]);
  expect(await ratesOf(shop)).toEqual([
    { currency: 'GBP', quarter: '2024-Q2', rate: 0.84825, published_on: '2024-07-01', problem: '' },
    { currency: 'JPY', quarter: '2024-Q2', rate: 173.46, published_on: '2024-07-01', problem: '' },
    { currency: 'USD', quarter: '2024-Q2', rate: 1.0745, published_on: '2024-07-01', problem: '' },
  ]);
  expect(await ratesOf(shop, 'year=2024')).toEqual([]);
  expect(ecb.asked).toHaveLength(1);
});

test('200: the rate of the last day itself, if the bank published one', async () => {
  const shop = await sell(['USD']);
  await moveInvoices(app, shop.merchant, '2024-08-01T12:00:00Z');
  const quarter = 'year=2024&quarter=3';
  expect(await linesOf(shop, quarter)).toEqual(['FR,STANDARD,20,EUR,8.93,1.79,,USD 1.1196 (2024-09-30),']);
});

test('200: sales in euro, and a quarter without sales, need no rate', async () => {
  const shop = await sell(['EUR']);
  await moveInvoices(app, shop.merchant, inQuarter);
  expect(await linesOf(shop)).toEqual(['FR,STANDARD,20,EUR,10,2,,,']);
  expect([await ratesOf(shop), await linesOf(shop, 'year=2024&quarter=1')]).toEqual([[], []]);
  expect(ecb.asked).toEqual([]);
});

test('200: a quarter that has not ended has no rate yet, and the bank is not asked', async () => {
  const shop = await sell(['EUR', 'USD']);
  // On its last day, the present quarter may have a rate.
  const [year, quarter] = [new Date().getUTCFullYear() + 1, 1];
  await moveInvoices(app, shop.merchant, `${year}-02-15T12:00:00Z`);
  const query = `year=${year}&quarter=${quarter}`;
  expect(await linesOf(shop, query)).toEqual([
    'FR,STANDARD,20,EUR,10,2,,,',
    `FR,STANDARD,20,USD,10,2,,,"Not in euro: there is no rate of USD, because ${year}-Q${quarter} has not ended"`,
  ]);
  expect(await ratesOf(shop, query)).toMatchObject([{ rate: null, published_on: '', problem: 'period_not_ended' }]);
  expect(ecb.asked).toEqual([]);
});

test.each<[string, EcbServer['published']]>([
  ['no rate of any currency', {}],
  ['none of this currency', { '2024-07-01': { USD: '1.0745' } }],
  ['only one of a later week', { '2024-07-15': { GBP: '0.84035' } }],
  ...['NaN', '0', '-1', '1e3', '0,84825', '1.'].map((text): [string, EcbServer['published']] => [
    `a row with ${text}`,
    { '2024-07-01': { GBP: text } },
  ]),
])('200: the bank published %s: the sale stays in its currency, with a warning', async (_, published) => {
  const shop = await sell(['EUR', 'GBP']);
  await moveInvoices(app, shop.merchant, inQuarter);
  ecb.published = published;
  const reason = 'the European Central Bank has published no rate for 2024-06-30';
  expect(await linesOf(shop)).toEqual([
    'FR,STANDARD,20,EUR,10,2,,,',
    `FR,STANDARD,20,GBP,10,2,,,"Not in euro: there is no rate of GBP, because ${reason}"`,
  ]);
  expect(await ratesOf(shop)).toMatchObject([{ currency: 'GBP', rate: null, problem: 'not_published' }]);
});

test('200: a row without a number is a day without a publication', async () => {
  const shop = await sell(['GBP']);
  await moveInvoices(app, shop.merchant, inQuarter);
  ecb.published = { '2024-06-30': { GBP: '' }, '2024-07-01': { GBP: '0.84825' } };
  expect(await linesOf(shop)).toEqual(['FR,STANDARD,20,EUR,11.79,2.36,,GBP 0.84825 (2024-07-01),']);
});

test.each<[string, EcbServer['answer']]>([
  ['an error', (response) => response.writeHead(503).end()],
  ['a page of another program', (response) => response.writeHead(200).end('<html>Sign in</html>')],
  ['an empty file', (response) => response.writeHead(200).end('')],
  ['a redirect', (response) => response.writeHead(302, { Location: ecb.url }).end()],
  ['nothing', (response) => response.destroy()],
])('200: the bank answers with %s: a warning, and the next report asks again', async (_, answer) => {
  const shop = await sell(['USD']);
  await moveInvoices(app, shop.merchant, inQuarter);
  ecb.answer = answer;
  const warning = 'Not in euro: there is no rate of USD, because the European Central Bank did not answer';
  expect(await linesOf(shop)).toEqual([`FR,STANDARD,20,USD,10,2,,,"${warning}"`]);
  expect(await ratesOf(shop)).toMatchObject([{ currency: 'USD', rate: null, problem: 'no_answer' }]);
  ecb.answer = undefined;
  expect(await linesOf(shop)).toEqual(['FR,STANDARD,20,EUR,9.31,1.86,,USD 1.0745 (2024-07-01),']);
});

test('200: a correction has the rate of the corrected quarter, so that a sale and its refund cancel each other', async () => {
  const shop = await sell(['USD']);
  const [token = ''] = shop.tokens;
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  await moveInvoices(app, shop.merchant, inQuarter, 'invoice');
  await moveInvoices(app, shop.merchant, '2024-08-01T12:00:00Z', 'credit_note');
  const sold = await linesOf(shop);
  expect(sold).toEqual(['FR,STANDARD,20,EUR,9.31,1.86,,USD 1.0745 (2024-07-01),']);
  await sellOne(shop, 'USD');
  const last = 'id = (SELECT max(id) FROM invoices)';
  await changeInvoices(app, shop.merchant.id, `issued_at = '2024-08-02T12:00:00Z'`, last);
  expect(await linesOf(shop, 'year=2024&quarter=3')).toEqual([
    'FR,STANDARD,20,EUR,8.93,1.79,,USD 1.1196 (2024-09-30),',
    'FR,,,EUR,-9.31,-1.86,2024-Q2,USD 1.0745 (2024-07-01),',
  ]);
  expect(await ratesOf(shop, 'year=2024&quarter=3')).toMatchObject([
    { currency: 'USD', quarter: '2024-Q2', rate: 1.0745 },
    { currency: 'USD', quarter: '2024-Q3', rate: 1.1196 },
  ]);
});
