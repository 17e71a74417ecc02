import { randomUUID } from 'node:crypto';
import { RateLimiter, type CounterStore } from '../../src/kit/rateLimit';
import { createTestDatabase } from '../support/database';
import { until } from '../support/until';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: CounterStore;
let close: () => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase(process.env['DATABASE_URL']);
  const { counterStore } = await import('../../src/adapters/postgres/counterStore.js');
  const { closeDatabase } = await import('../../src/adapters/postgres/connection.js');
  store = counterStore;
  close = closeDatabase;
});

afterAll(async () => {
  await close();
  await database.drop();
});

const limiters: RateLimiter[] = [];
afterEach(() => limiters.splice(0).forEach((limiter) => limiter.stop()));

const start = Date.UTC(2026, 0, 1, 12, 0, 0);

/** Replicas that share a database and a clock. */
function replicas(stores: { one?: CounterStore; other?: CounterStore } = {}) {
  const clock = { atMs: start };
  const open = (own = store) => new RateLimiter(own, () => clock.atMs);
  const made = [open(stores.one), open(stores.other)] as const;
  limiters.push(...made);
  return { clock, one: made[0], other: made[1] };
}

describe('a strict count', () => {
  test('holds over two replicas: the fourth of three is refused, whoever is asked', async () => {
    const { one, other } = replicas();
    const key = randomUUID();
    const asked = [await one.countStrictly(key, 3), await other.countStrictly(key, 3), await one.countStrictly(key, 3)];
    expect(asked.map(({ remaining, isExceeded }) => [remaining, isExceeded])).toEqual([
      [2, false],
      [1, false],
      [0, false],
    ]);
    for (const replica of [other, one])
      expect(await replica.countStrictly(key, 3)).toMatchObject({ limit: 3, remaining: 0, isExceeded: true });
  });

  test('holds under any concurrency: of forty at once, ten pass', async () => {
    const { one, other } = replicas();
    const key = randomUUID();
    const asked = Array.from({ length: 40 }, (_, index) => (index % 2 ? one : other).countStrictly(key, 10));
    expect((await Promise.all(asked)).filter(({ isExceeded }) => !isExceeded).length).toBeLessThanOrEqual(10);
    const { rows } = await database.pool.query('SELECT count FROM rate_limits WHERE key = $1', [key]);
    expect(rows).toEqual([{ count: 40 }]);
  });

  test('of one caller is not that of another', async () => {
    const { one } = replicas();
    const [key, another] = [randomUUID(), randomUUID()];
    await one.countStrictly(key, 1);
    expect((await one.countStrictly(key, 1)).isExceeded).toBe(true);
    expect((await one.countStrictly(another, 1)).isExceeded).toBe(false);
  });

  test('begins anew with the next minute, and tells how far that is', async () => {
    const { one, other, clock } = replicas();
    const key = randomUUID();
    clock.atMs = start + 20_500;
    expect(await one.countStrictly(key, 1)).toMatchObject({ resetSeconds: 40, isExceeded: false });
    clock.atMs = start + 59_999;
    expect(await other.countStrictly(key, 1)).toMatchObject({ resetSeconds: 1, isExceeded: true });
    clock.atMs = start + 60_000;
    expect(await other.countStrictly(key, 1)).toMatchObject({ resetSeconds: 60, isExceeded: false });
    expect((await one.countStrictly(key, 1)).isExceeded).toBe(true);
  });
});

describe('the general count', () => {
  test('costs a request no statement, and reaches the other replica soon', async () => {
    const counted: ReadonlyMap<string, number>[] = [];
    const add: CounterStore['add'] = (counts, windowStartsAt) => {
      counted.push(new Map(counts));
      return store.add(counts, windowStartsAt);
    };
    const { one, other } = replicas({ one: { add }, other: { add } });
    const key = randomUUID();
    for (let index = 0; index < 1000; index += 1) other.count(key, 1000);
    expect(counted.length).toBeLessThan(100);
    let passed = 0;
    await until(() => {
      const { isExceeded } = one.count(key, 1000);
      if (!isExceeded) passed += 1;
      return isExceeded;
    });
    expect(passed).toBeLessThan(1000);
  });
});

test('a caller that makes few requests costs the database nothing', async () => {
  const counted: string[] = [];
  const add: CounterStore['add'] = (counts, windowStartsAt) => {
    counted.push(...counts.keys());
    return store.add(counts, windowStartsAt);
  };
  const { one } = replicas({ one: { add } });
  const [seldom, often] = [randomUUID(), randomUUID()];
  for (let index = 0; index < 12; index += 1) one.count(seldom, 600);
  for (let index = 0; index < 13; index += 1) one.count(often, 600);
  await until(() => counted.includes(often));
  expect(counted).not.toContain(seldom);
});

describe('while the database is away', () => {
  test('each replica goes on with its own counts, and tells them when it is back', async () => {
    const away = { one: true, other: true };
    const behind = (name: 'one' | 'other'): CounterStore => ({
      add: (...counts) => (away[name] ? Promise.reject(new Error('away')) : store.add(...counts)),
    });
    const { one, other } = replicas({ one: behind('one'), other: behind('other') });
    const key = randomUUID();
    for (const expected of [false, false, true]) expect((await one.countStrictly(key, 2)).isExceeded).toBe(expected);
    expect((await other.countStrictly(key, 2)).isExceeded).toBe(false);
    // The database is back for the other one first: its count must not include those of the first one yet.
    away.other = false;
    expect((await other.countStrictly(key, 2)).isExceeded).toBe(false);
    away.one = false;
    await until(async () => {
      const { rows } = await database.pool.query<{ count: number }>('SELECT count FROM rate_limits WHERE key = $1', [
        key,
      ]);
      return rows[0]?.count === 5;
    });
  });
});
