import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { startProxy, type Proxy } from '../support/proxy';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;
let database: Proxy;
let temporal: Proxy;

beforeAll(async () => {
  database = await startProxy(process.env['DATABASE_URL'] ?? '');
  temporal = await startProxy(`http://${process.env['TEMPORAL_ADDRESS'] ?? ''}`);
  app = await startApp({ DATABASE_URL: database.url, TEMPORAL_ADDRESS: new URL(temporal.url).host });
});

afterAll(async () => {
  await app.stop();
  await Promise.all([database.stop(), temporal.stop()]);
});

const ask = () => call<Record<string, string>>(app, 'GET', '/health/ready');
const ready = { status: 'ready', database: 'up', temporal: 'up' };
const unavailable = { code: 503, message: 'Service unavailable', error: 'service_unavailable' };

test('200: ready, when the database answers and has the schema of this program', async () => {
  await until(async () => (await ask()).body['temporal'] === 'up');
  expect(await ask()).toMatchObject({ status: 200, body: ready });
});

test('200: ready while Temporal is away, since what it must hear is kept', async () => {
  temporal.cut();
  const found = await until(async () => {
    const reply = await ask();
    return reply.body['temporal'] !== 'up' && reply;
  });
  expect(found).toMatchObject({ status: 200, body: { ...ready, temporal: 'down' } });
  temporal.restore();
  await until(async () => (await ask()).body['temporal'] === 'up');
});

test('503 service_unavailable: while the database is away, with no word of where it is; then ready again', async () => {
  const merchant = await createMerchant(app);
  database.cut();
  const { status, headers, body } = await ask();
  expect({ status, body }).toEqual({ status: 503, body: { ...unavailable, explain: 'The database does not answer.' } });
  expect(headers.get('retry-after')).toBe('2');
  const others = [
    await call(app, 'GET', '/subscriptions', undefined, merchant),
    await call(app, 'GET', '/accounts', undefined, merchant),
    await call(app, 'GET', '/items/1/access-fees'),
    await call(app, 'POST', '/v2/items', { item_type: 'html_asset', title: 'x' }, merchant),
  ];
  for (const other of others) {
    expect([other.status, other.headers.get('retry-after')]).toEqual([503, '2']);
    expect(other.body).toEqual({ ...unavailable, explain: 'Service unavailable' });
  }
  expect((await call(app, 'GET', '/health/live')).status).toBe(200);
  database.restore();
  await until(async () => (await ask()).status === 200);
  expect((await call(app, 'GET', '/accounts', undefined, merchant)).status).toBe(200);
});

test('503 service_unavailable: while the database waits for a migration', async () => {
  await app.pool.query(`UPDATE migrations SET name = 'away' WHERE name = '010-accounts'`);
  expect(await ask()).toMatchObject({
    status: 503,
    body: { ...unavailable, explain: 'The database waits for migrations.' },
  });
  await app.pool.query(`UPDATE migrations SET name = '010-accounts' WHERE name = 'away'`);
  expect((await ask()).status).toBe(200);
});
