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
const strict = { strict: true };
const relaxed = { strict: false };

/** Replicas that share a store and a clock. */
function replicas(shared: CounterStore = store) {
  const clock = { atMs: start };
  const made = [new RateLimiter(shared, () => clock.atMs), new RateLimiter(shared, () => clock.atMs)] as const;
  limiters.push(...made);
  return { clock, one: made[0], other: made[1] };
}

describe('a strict count', () => {
  test('holds over two replicas: the fourth of three is refused, whoever is asked', async () => {
    const { one, other } = replicas();
    const key = randomUUID();
    const asked = [
      await one.consume(key, 3, strict),
      await other.consume(key, 3, strict),
      await one.consume(key, 3, strict),
    ];
    expect(asked.map(({ remaining, isExceeded }) => [remaining, isExceeded])).toEqual([
      [2, false],
      [1, false],
      [0, false],
    ]);
    for (const replica of [other, one])
      expect(await replica.consume(key, 3, strict)).toMatchObject({ limit: 3, remaining: 0, isExceeded: true });
  });

  test('holds under any concurrency: of forty at once, ten pass', async () => {
    const { one, other } = replicas();
    const key = randomUUID();
    const asked = Array.from({ length: 40 }, (_, index) => (index % 2 ? one : other).consume(key, 10, strict));
    expect((await Promise.all(asked)).filter(({ isExceeded }) => !isExceeded).length).toBeLessThanOrEqual(10);
    const { rows } = await database.pool.query('SELECT count FROM rate_limits WHERE key = $1', [key]);
    expect(rows).toEqual([{ count: 40 }]);
  });

  test('of one caller is not that of another', async () => {
    const { one } = replicas();
    const [key, another] = [randomUUID(), randomUUID()];
    await one.consume(key, 1, strict);
    expect((await one.consume(key, 1, strict)).isExceeded).toBe(true);
    expect((await one.consume(another, 1, strict)).isExceeded).toBe(false);
  });

  test('begins anew with the next minute, and tells how far that is', async () => {
    const { one, other, clock } = replicas();
    const key = randomUUID();
    clock.atMs = start + 20_500;
    expect(await one.consume(key, 1, strict)).toMatchObject({ resetSeconds: 40, isExceeded: false });
    clock.atMs = start + 59_999;
    expect(await other.consume(key, 1, strict)).toMatchObject({ resetSeconds: 1, isExceeded: true });
    clock.atMs = start + 60_000;
    expect(await other.consume(key, 1, strict)).toMatchObject({ resetSeconds: 60, isExceeded: false });
    expect((await one.consume(key, 1, strict)).isExceeded).toBe(true);
  });
});

describe('the general count', () => {
  test('costs a request no statement, and reaches the other replica soon', async () => {
    const counted: ReadonlyMap<string, number>[] = [];
    const { one, other } = replicas({
      add: (counts, windowStartsAt) => {
        counted.push(new Map(counts));
        return store.add(counts, windowStartsAt);
      },
    });
    const key = randomUUID();
    for (let index = 0; index < 1000; index += 1) await other.consume(key, 1000, relaxed);
    expect(counted.length).toBeLessThan(100);
    let passed = 0;
    await until(async () => {
      const { isExceeded } = await one.consume(key, 1000, relaxed);
      if (!isExceeded) passed += 1;
      return isExceeded;
    });
    expect(passed).toBeLessThan(1000);
  });
});

describe('while the database is away', () => {
  test('each replica goes on with its own counts, and tells them when it is back', async () => {
    let isAway = true;
    const { one, other } = replicas({
      add: (...counts) => (isAway ? Promise.reject(new Error('away')) : store.add(...counts)),
    });
    const key = randomUUID();
    for (const expected of [false, false, true]) expect((await one.consume(key, 2, strict)).isExceeded).toBe(expected);
    expect((await other.consume(key, 2, strict)).isExceeded).toBe(false);
    isAway = false;
    expect((await other.consume(key, 2, strict)).isExceeded).toBe(false);
    await until(async () => {
      const { rows } = await database.pool.query<{ count: number }>('SELECT count FROM rate_limits WHERE key = $1', [
        key,
      ]);
      return rows[0]?.count === 5;
    });
  });
});
