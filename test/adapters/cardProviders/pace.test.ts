import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { createPace, type Pace } from '../../../src/adapters/cardProviders/pace';
import { pauseSeconds } from '../../../src/adapters/cardProviders/stripePace';
import { createStripe, type StripeSettings } from '../../../src/adapters/cardProviders/stripe';
import { type CardProvider, type ChargeRequest } from '../../../src/adapters/cardProviders/provider';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { startStripeServer, type StripeServer } from '../../support/stripeServer';
import { until } from '../../support/until';

/** One rate limit for all processes. Each process has its own connections here, and only a test refills the bucket. */

const intentsPath = '/v1/payment_intents';
const account = 'stripe';
const perSecond = 50;
const atOnce = 10;

let database: TestDatabase;
let pools: pg.Pool[];
let server: StripeServer;
let settings: StripeSettings;

beforeAll(async () => {
  database = await createTestDatabase();
  pools = [1, 2].map(() => new pg.Pool({ connectionString: database.url, max: 10 }));
  for (const pool of pools) pool.on('error', () => undefined);
  server = await startStripeServer();
  settings = {
    secretKey: 'sk_test_1',
    webhookSecret: 'whsec_1',
    returnUrl: 'https://paywall.example/payments/return',
    apiBase: server.url,
    acceptsRawCards: true,
    timeoutMs: 5_000,
  };
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
  await server.stop();
});
beforeEach(() => {
  server.mend();
  server.sent.length = 0;
});

const paceOf = (pool: pg.Pool | undefined, patienceMs: number): Pace => {
  if (!pool) throw new Error('no such process');
  const query = (text: string, values: unknown[]) => pool.query<object>(text, values);
  return createPace({ query, account, perSecond, patienceMs: { interactive: patienceMs, background: patienceMs } });
};

/** A process of the service. It does not wait for a token unless the test says so. */
const processOf = (number: 0 | 1, patienceMs = 0): CardProvider =>
  createStripe({ ...settings, pace: paceOf(pools[number], patienceMs) });

/** Sets the tokens in the bucket. None are added afterwards. */
const leave = (tokens: number) =>
  database.pool.query(
    `INSERT INTO provider_paces (account, tokens, filled_at) VALUES ($1, $2, now() + interval '1 day')
     ON CONFLICT (account) DO UPDATE SET tokens = $2, filled_at = now() + interval '1 day', held_until = now()`,
    [account, tokens],
  );

async function newRequest(of: Partial<ChargeRequest> = {}): Promise<ChargeRequest> {
  const card = { number: '4242424242424242', holderName: 'Ana Petrova', expiryMonth: 12, expiryYear: 2040 };
  const { token } = await createStripe(settings).tokenise({ ...card, securityCode: '123' });
  server.sent.length = 0;
  const idempotencyKey = `S-${randomUUID()}:1:1`;
  return { idempotencyKey, token, amountMinor: 999, currency: 'EUR', description: 'Subscription', ...of };
}

const again = (request: ChargeRequest): ChargeRequest => ({ ...request, idempotencyKey: `S-${randomUUID()}:1:1` });

test('not_sent: two processes together send no more requests than the limit allows', async () => {
  const request = await newRequest();
  await leave(atOnce);
  const [one, two] = [processOf(0), processOf(1)];
  const charges = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : two).charge(again(request)));
  const outcomes = (await Promise.all(charges)).map(({ outcome }) => outcome);
  expect(outcomes.filter((outcome) => outcome === 'paid')).toHaveLength(atOnce);
  expect(outcomes.filter((outcome) => outcome === 'not_sent')).toHaveLength(30);
  expect(server.sent).toHaveLength(atOnce);
});

test('paid: a first purchase does not wait when renewals have used up their share', async () => {
  const request = await newRequest();
  const [renewals, purchases] = [processOf(0), processOf(1)];
  const renew = () => renewals.charge({ ...again(request), isOffSession: true });
  await leave(7);
  expect([await renew(), await renew(), await renew()].map(({ outcome }) => outcome)).toEqual([
    'paid',
    'paid',
    'not_sent',
  ]);
  const bought = [];
  for (let left = 6; left > 0; left -= 1) bought.push((await purchases.charge(again(request))).outcome);
  expect(bought).toEqual(['paid', 'paid', 'paid', 'paid', 'paid', 'not_sent']);
});

test('paid: a renewal waits for its turn', async () => {
  const request = await newRequest({ isOffSession: true });
  await leave(0);
  const paid = processOf(0, 60_000).charge(request);
  await until(async () => {
    const { rows } = await database.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%provider_paces%FOR UPDATE%'
         AND pid <> pg_backend_pid()`,
    );
    return rows.length > 0;
  });
  expect(server.sent).toEqual([]);
  await leave(atOnce);
  expect((await paid).outcome).toBe('paid');
});

test('not_sent: after a 429 with Retry-After every process pauses until that time is over', async () => {
  const request = await newRequest();
  await leave(atOnce);
  server.fail(intentsPath, '429 for an hour');
  expect((await processOf(0).charge(request)).outcome).toBe('not_sent');
  expect((await processOf(1).charge(again(request))).outcome).toBe('not_sent');
  expect((await processOf(1).lookUpCharge(request.idempotencyKey, { token: request.token })).outcome).toBe('unknown');
  await expect(processOf(1).adoptToken('pm_1')).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(server.sent).toEqual([]);
  const text = `SELECT held_until BETWEEN now() + interval '50 minutes' AND now() + interval '1 hour' AS is_held
    FROM provider_paces WHERE account = $1`;
  expect((await database.pool.query(text, [account])).rows).toEqual([{ is_held: true }]);

  await leave(atOnce);
  expect((await processOf(1).charge(request)).outcome).toBe('paid');
});

test('not_sent: a shorter pause does not end a longer one', async () => {
  await leave(atOnce);
  await paceOf(pools[0], 0).hold(3_600);
  await paceOf(pools[1], 0).hold(1);
  await expect(paceOf(pools[0], 0).takeTurn('interactive')).rejects.toMatchObject({ code: 'ENOTURN' });
});

test('the first process that charges for an account creates its bucket', async () => {
  await database.pool.query('DELETE FROM provider_paces');
  await Promise.all([0, 1].map((number) => paceOf(pools[number], 0).takeTurn('background')));
  expect((await database.pool.query('SELECT account FROM provider_paces')).rows).toEqual([{ account }]);
});

test('not_sent: nothing is sent while the database is down', async () => {
  const request = await newRequest();
  const broken = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
  const pace = paceOf(broken, 0);
  expect((await createStripe({ ...settings, pace }).charge(request)).outcome).toBe('not_sent');
  expect(server.sent).toEqual([]);
});

test.each([
  [undefined, 1],
  ['', 1],
  ['0', 1],
  ['7', 7],
  ['100000', 3_600],
  ['soon', 1],
  ['Thu, 01 Jan 1970 00:01:40 GMT', 60],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 1],
])('Retry-After %p is a pause of %p s', (word, seconds) => {
  expect(pauseSeconds(word, 40_000)).toBe(seconds);
});
