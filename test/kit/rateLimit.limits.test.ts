import { randomUUID } from 'node:crypto';
import { call, type Reply } from '../support/client';
import { createConsumer, createMerchant, password, type Person, registration } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { realTimers } from '../support/realTimers';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;
let consumer: Person;

const minuteMs = 60_000;
let windowStartsAt = 0;
const nextWindow = () => jest.setSystemTime((windowStartsAt += minuteMs));

/** Only `nextWindow` moves the clock, so that no minute ends within a test. Timers run as usual. */
beforeAll(async () => {
  windowStartsAt = Math.floor(Date.now() / minuteMs) * minuteMs;
  jest.useFakeTimers({ now: windowStartsAt, doNotFake: realTimers });
  app = await startApp({
    RATE_LIMIT_CREDENTIALS: '3',
    RATE_LIMIT_NORMAL: '5',
    RATE_LIMIT_ANONYMOUS: '5',
    TRUSTED_PROXIES: 'loopback',
  });
  merchant = await createMerchant(app);
  consumer = await createConsumer(app, merchant);
});

beforeEach(nextWindow);

afterAll(async () => {
  await app.stop();
  jest.useRealTimers();
});

/** Each request is another account's. The limit of one account has its own test. */
const signIn = (headers?: Record<string, string>) =>
  call<ErrorBody>(
    app,
    'POST',
    '/accounts/authenticate',
    { client_id: merchant.uuid, grant_type: 'password', username: `${randomUUID()}@example.org`, password: 'wrong' },
    headers && { headers },
  );

const limits = ({ status, headers }: Reply<unknown>) => [status, headers.get('ratelimit'), headers.get('retry-after')];

test('429 too_many_requests: the fourth sign-in of a minute from one address, told from the first on', async () => {
  const answers = [await signIn(), await signIn(), await signIn(), await signIn()];
  expect(answers.map(limits)).toEqual([
    [401, 'limit=3, remaining=2, reset=60', null],
    [401, 'limit=3, remaining=1, reset=60', null],
    [401, 'limit=3, remaining=0, reset=60', null],
    [429, 'limit=3, remaining=0, reset=60', '60'],
  ]);
  expect(answers[3]?.body).toEqual({
    code: 429,
    message: 'Too many requests',
    error: 'too_many_requests',
    explain: 'Too many requests',
  });
});

test('429 too_many_requests: failed sign-ins and registrations of v1 and v2 share one count', async () => {
  await signIn();
  const taken = { ...registration('consumer', merchant.uuid), username: consumer.email };
  const paths = ['/accounts', '/v2/accounts', '/v2/accounts'] as const;
  const statuses = [];
  for (const path of paths) statuses.push((await call(app, 'POST', path, taken)).status);
  expect(statuses).toEqual([409, 409, 429]);
});

test('200: correct passwords do not count as attempts', async () => {
  const fields = { client_id: merchant.uuid, grant_type: 'password', username: consumer.email, password };
  for (let times = 0; times < 6; times += 1)
    expect(limits(await call(app, 'POST', '/accounts/authenticate', fields))).toEqual([
      200,
      'limit=3, remaining=3, reset=60',
      null,
    ]);
});

test('429 too_many_requests: the sixth request of one address with a token that is not valid', async () => {
  const statuses = [];
  for (let times = 0; times < 6; times += 1)
    statuses.push((await call(app, 'GET', '/accounts', undefined, { token: `wrong-${times}` })).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await call(app, 'GET', '/accounts', undefined, consumer)).status).toBe(200);
});

test('401: the next minute counts anew', async () => {
  for (let times = 0; times < 4; times += 1) await signIn();
  nextWindow();
  expect((await signIn()).status).toBe(401);
});

test('401: another address, as a trusted proxy tells it, has a count of its own', async () => {
  for (let times = 0; times < 4; times += 1) await signIn({ 'X-Forwarded-For': '203.0.113.7' });
  expect((await signIn({ 'X-Forwarded-For': '203.0.113.7' })).status).toBe(429);
  expect((await signIn({ 'X-Forwarded-For': '203.0.113.8' })).status).toBe(401);
});

test('429 too_many_requests: an address that the client made up does not help it', async () => {
  for (let times = 0; times < 3; times += 1) await signIn({ 'X-Forwarded-For': `198.51.100.${times}, 203.0.113.7` });
  expect((await signIn({ 'X-Forwarded-For': '198.51.100.9, 203.0.113.7' })).status).toBe(429);
});

test('429 too_many_requests: the sixth request of one session; another session goes on', async () => {
  const ask = (person: Person) => call(app, 'GET', '/accounts', undefined, person);
  const statuses = [];
  for (let times = 0; times < 6; times += 1) statuses.push((await ask(consumer)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await ask(merchant)).status).toBe(200);
});

test('429 too_many_requests: the access check, too, is limited by session', async () => {
  const answers = [];
  for (let times = 0; times < 6; times += 1)
    answers.push(await call(app, 'GET', '/items/1/access', undefined, consumer));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 429]);
  expect(limits(answers[5] as Reply<unknown>)).toEqual([429, 'limit=5, remaining=0, reset=60', '60']);
});

test('429 too_many_requests: the sixth anonymous request of one address', async () => {
  const statuses = [];
  for (let times = 0; times < 6; times += 1) statuses.push((await call(app, 'GET', '/items/1/access-fees')).status);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
});

test.each(['/docs', '/docs/getLiveness', '/openapi.json'])(
  '429 too_many_requests: the sixth %s of one address',
  async (path) => {
    const statuses = [];
    for (let times = 0; times < 6; times += 1) statuses.push((await call(app, 'GET', path)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  },
);

test('429 too_many_requests: a whole IPv6 network is one address', async () => {
  const statuses: number[] = [];
  for (const host of ['1', 'ffff::9', '0:0:0:3', '4'])
    statuses.push((await signIn({ 'X-Forwarded-For': `2001:db8:7:7:${host.length > 1 ? host : `:${host}`}` })).status);
  expect(statuses).toEqual([401, 401, 401, 429]);
  expect((await signIn({ 'X-Forwarded-For': '2001:db8:7:8::1' })).status).toBe(401);
});
