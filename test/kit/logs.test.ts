import { Writable } from 'node:stream';
import type pino from 'pino';
import { call } from '../support/client';
import { cards, createShop, password, purchase, registration } from '../support/factories';
import { PageWalker } from '../support/pageWalker';
import { form, json, send } from '../support/raw';
import { startApp, type TestApp } from '../support/startApp';

const written: string[] = [];

/** The logger of the product with its own settings. Only its output goes to the test. */
jest.doMock('pino', () => {
  const real = jest.requireActual<typeof pino>('pino');
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk.toString());
      done();
    },
  });
  return { __esModule: true, default: (options: pino.LoggerOptions) => real(options, stream) };
});

let app: TestApp;

beforeAll(async () => (app = await startApp({ LOG_LEVEL: 'trace' })));
afterAll(() => app.stop());
beforeEach(() => written.splice(0));

const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);

test('a request is one line: its id, operation, status, and whose it was', async () => {
  const { consumer } = await createShop(app);
  written.splice(0);
  await call(app, 'GET', '/subscriptions?page=1', undefined, {
    ...consumer,
    headers: { 'X-Request-Id': 'trace-4711' },
  });
  expect(lines()).toEqual([
    {
      level: 30,
      time: expect.any(Number) as unknown,
      requestId: 'trace-4711',
      operation: 'listSubscriptions',
      status: 200,
      ms: expect.any(Number) as unknown,
      accountId: consumer.id,
      merchantId: expect.any(Number) as unknown,
      msg: 'GET /subscriptions',
    },
  ]);
});

test('no line holds a password, a token, an address or a card number, whatever went well or wrong', async () => {
  const shop = await createShop(app);
  const { consumer, merchant, item } = shop;
  const fields = registration('consumer', merchant.uuid);
  const credentials = { client_id: merchant.uuid, username: consumer.email, password };
  await call(app, 'POST', '/accounts', fields);
  await call(app, 'POST', '/accounts', fields);
  await call(app, 'POST', '/accounts/authenticate', { ...credentials, grant_type: 'password' });
  await call(app, 'POST', '/accounts/authenticate', {
    ...credentials,
    grant_type: 'password',
    password: `${password}x`,
  });
  await call(app, 'POST', '/accounts/authenticate', {
    client_id: merchant.uuid,
    grant_type: 'refresh_token',
    refresh_token: consumer.refreshToken,
  });
  await call(app, 'POST', '/subscriptions', purchase(shop), consumer);
  await call(app, 'POST', '/subscriptions', { ...purchase(shop), card_name: cards.declined }, consumer);
  await call(app, 'GET', `/items/${item.id}/access?token=${consumer.token}`, undefined, consumer);
  await send(app, 'POST', '/accounts', { body: `password=${password}&${'p=1&'.repeat(1001)}`, contentType: form });
  await send(app, 'POST', '/accounts', { body: `{"password":"${password}"`, contentType: json });
  await app.pool.query('ALTER TABLE accounts RENAME TO accounts_away');
  await call(app, 'POST', '/accounts', fields);
  await call(app, 'POST', '/accounts/authenticate', { ...credentials, grant_type: 'password' });
  await app.pool.query('ALTER TABLE accounts_away RENAME TO accounts');

  const all = written.join('');
  expect(lines().map(({ operation }) => operation)).toEqual(
    expect.arrayContaining(['createAccount', 'authenticate', 'createSubscription', 'checkAccess']),
  );
  expect(lines().filter(({ level }) => level === 50)).not.toEqual([]);
  const secrets = {
    password,
    accessToken: consumer.token,
    tokenSignature: consumer.token.split('.')[2] ?? '',
    refreshToken: consumer.refreshToken,
    card: cards.success,
    declinedCard: cards.declined,
    email: consumer.email,
    newEmail: fields.username,
    name: fields.full_name,
    content: '<p>The final.</p>',
  };
  expect(
    Object.entries(secrets)
      .filter(([, secret]) => all.includes(secret))
      .map(([what]) => what),
  ).toEqual([]);
});

test('an error is logged with its type, message, code and stack, and nothing that a library hangs on it', async () => {
  const { consumer } = await createShop(app);
  await app.pool.query('ALTER TABLE subscriptions RENAME TO subscriptions_away');
  await call(app, 'GET', '/subscriptions', undefined, consumer);
  await app.pool.query('ALTER TABLE subscriptions_away RENAME TO subscriptions');
  const [error] = lines().filter(({ level }) => level === 50);
  expect(error).toMatchObject({ operation: 'listSubscriptions', msg: 'unexpected error' });
  expect(Object.keys(error?.['err'] as object).sort()).toEqual(['code', 'message', 'stack', 'type']);
});

test('no line of a page holds what was typed into it', async () => {
  const shop = await createShop(app);
  const browser = new PageWalker(app);
  const path = `/paywall/${shop.merchant.uuid}/${shop.item.id}`;
  await browser.open(path);
  const typed = { username: shop.consumer.email, password };
  expect((await browser.submit(`${path}/sign-in`, typed)).status).toBe(303);
  written.splice(0);
  await browser.submit(`${path}/sign-in`, { ...typed, password: 'wrong-horse-battery' });
  const card = { number: cards.declined, card_name: 'Ana Petrova', exp_month: '2', exp_year: '2040', cvv: '987' };
  expect((await browser.submit(`${path}/pay`, { fee: String(shop.fee.id), ...card })).status).toBe(200);
  expect((await browser.submit(`${path}/pay`, { fee: String(shop.fee.id), ...card, cvv: 'x' })).status).toBe(422);
  expect(lines().map(({ operation }) => operation)).toContain('buyAtPaywall');
  const text = written.join('');
  for (const secret of [cards.declined, 'Ana Petrova', shop.consumer.email, password, 'wrong-horse', '"987"', 'eyJ'])
    expect(text).not.toContain(secret);
});
