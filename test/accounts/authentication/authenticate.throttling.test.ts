import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import * as guesses from '../../support/guesses';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_FAILURES: '30', TRUSTED_PROXIES: '127.0.0.1' });
});

afterAll(() => app.stop());

// Time passes for all counters at once.
beforeEach(() => app.pool.query('DELETE FROM wrong_guesses'));

let lastAddress = 0;

/** An address that no other test has used. */
function newAddress(): string {
  lastAddress += 1;
  return `203.0.113.${lastAddress}`;
}

type Login = Pick<Person, 'merchantUuid' | 'email'>;

const paths = ['/accounts/authenticate', '/v2/accounts/authenticate'] as const;

function signIn(person: Login, given: string, address: string, path: string = paths[0]) {
  const fields = { grant_type: 'password', client_id: person.merchantUuid, username: person.email, password: given };
  return call(app, 'POST', path, fields, { headers: { 'X-Forwarded-For': address } });
}

async function fail(person: Login, times: number, address = newAddress(), path: string = paths[0]) {
  const statuses: number[] = [];
  for (let count = 0; count < times; count += 1)
    statuses.push((await signIn(person, `wrong-${count}-battery`, address, path)).status);
  return statuses;
}

const letPass = (interval: string) => guesses.letPass(app, interval);

/** After the newest failure. */
async function secondsToWait(): Promise<number> {
  const { rows } = await app.pool.query<{ seconds: number }>(
    `SELECT extract(epoch FROM blocked_until - failed_at)::float8 AS seconds FROM wrong_guesses
     WHERE blocked_until > '-infinity' ORDER BY failed_at DESC LIMIT 1`,
  );
  return rows[0]?.seconds ?? 0;
}

test.each(paths)(
  '429 too_many_requests: %s after five free failures, for known and unknown accounts alike, with Retry-After',
  async (path) => {
    const consumer = await createConsumer(app, await createMerchant(app));
    const stranger = { merchantUuid: consumer.merchantUuid, email: 'nobody@example.org' };
    for (const person of [consumer, stranger]) {
      expect(await fail(person, 6, newAddress(), path)).toEqual([401, 401, 401, 401, 401, 401]);
      expect(await secondsToWait()).toBe(1);
      await letPass('-1 minute');
      const { status, headers, body } = await signIn(person, 'wrong-battery-staple', newAddress(), path);
      expect(status).toBe(429);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(30);
      expect(body).toEqual({
        code: 429,
        message: 'Too many requests',
        error: 'too_many_requests',
        explain: 'Too many requests',
      });
    }
  },
);

test('429 too_many_requests: the wait doubles with each failure up to 15 minutes, and ends; the right password ends the count', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  await fail(consumer, 6);
  for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
    expect(await secondsToWait()).toBe(seconds);
    await letPass('-1 minute');
    expect((await signIn(consumer, password, newAddress())).status).toBe(429);
    await letPass(`${seconds + 60} seconds`);
    expect(await fail(consumer, 1)).toEqual([401]);
  }
  await letPass('900 seconds');
  expect((await signIn(consumer, password, newAddress())).status).toBe(200);
  expect(await fail(consumer, 6)).toEqual([401, 401, 401, 401, 401, 401]);
});

test('401 invalid_credentials: after twelve hours the failures are forgotten', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  await fail(consumer, 6);
  await letPass('12 hours 1 second');
  expect(await fail(consumer, 6)).toEqual([401, 401, 401, 401, 401, 401]);
});

test('200: strangers cannot lock an owner out of an address where the owner has signed in', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const home = newAddress();
  expect((await signIn(consumer, password, home)).status).toBe(200);
  await fail(consumer, 6);
  await letPass('-1 minute');
  expect((await signIn(consumer, password, newAddress())).status).toBe(429);
  expect((await signIn(consumer, password, home)).status).toBe(200);
  expect(await fail(consumer, 6, home)).toEqual([401, 401, 401, 401, 401, 401]);
  await letPass('-1 minute');
  expect(await fail(consumer, 1, home)).toEqual([429]);
});

test('429 too_many_requests: of many guesses at once one outcome is told, and neither the right one’s nor the others’', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  await fail(consumer, 1);
  await app.pool.query('UPDATE wrong_guesses SET failures = 12');
  const guesses = Array.from({ length: 40 }, (_, index) => (index === 39 ? password : `wrong-${index}-battery`));
  const answers = await Promise.all(guesses.map((given) => signIn(consumer, given, newAddress())));
  const statuses = answers.map(({ status }) => status).sort((a, b) => a - b);
  expect(statuses).toEqual([401, ...Array<number>(39).fill(429)]);
});

test('429 too_many_requests: the right password, when the block begins while it is checked', async () => {
  const { throttleAttempts } = await import('../../../src/adapters/postgres/throttling.js');
  const consumer = await createConsumer(app, await createMerchant(app));
  const subject = consumer.email;
  const guess = (check: () => Promise<true | undefined>) =>
    throttleAttempts({ kind: 'sign-in', subject, address: newAddress() }, check);
  const right = guess(async () => {
    for (let count = 0; count < 6; count += 1) await guess(() => Promise.resolve(undefined));
    await letPass('-1 minute');
    return true;
  });
  await expect(right).rejects.toMatchObject({ code: 'too_many_requests' });
  await expect(guess(() => Promise.resolve(true))).rejects.toMatchObject({ code: 'too_many_requests' });
});

test('200: many right passwords at once are no guesses', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const answers = await Promise.all(Array.from({ length: 12 }, () => signIn(consumer, password, newAddress())));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('429 too_many_requests: an address that fails for many accounts has to wait, and a whole IPv6 network is one', async () => {
  const merchantUuid = (await createMerchant(app)).uuid;
  for (const addresses of [['198.51.100.7'], ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:DB8:1:2:0:0:0:3']]) {
    const statuses: number[] = [];
    for (let count = 0; count < 32; count += 1) {
      const person = { merchantUuid, email: `nobody-${count}@example.org` };
      const [status] = await fail(person, 1, addresses[count % addresses.length]);
      statuses.push(status ?? 0);
    }
    expect(statuses).toEqual([...Array<number>(31).fill(401), 429]);
  }
  expect(await fail({ merchantUuid, email: 'nobody@example.org' }, 1, '2001:db8:1:3::1')).toEqual([401]);
});

test('401 invalid_credentials: to be throttled at the platform tells no app whose merchant it is', async () => {
  const { platformClientId } = await import('../../../src/adapters/settings.js');
  const merchant = await createMerchant(app);
  const byPlatform = { ...merchant, merchantUuid: platformClientId };
  expect(await fail(byPlatform, 6)).toEqual([401, 401, 401, 401, 401, 401]);
  await letPass('-1 minute');
  expect(await fail(byPlatform, 1)).toEqual([429]);
  const stranger = { merchantUuid: merchant.uuid, email: 'nobody@example.org' };
  for (const person of [merchant, stranger]) expect(await fail(person, 6)).toEqual([401, 401, 401, 401, 401, 401]);
});
