import { batched } from '../../../src/adapters/postgres/batch';
import { until } from '../../support/until';

interface Query {
  keys: number[];
  answer: () => void;
  fail: () => void;
}

/** A reader whose queries are answered by hand: ten times each key. */
function reader(bounds: { patienceMs?: number; full?: number } = {}) {
  const queries: Query[] = [];
  const read = batched(
    (keys: number[]) =>
      new Promise<number[]>((resolve, reject) => {
        const answer = () => resolve(keys.map((key) => key * 10));
        queries.push({ keys, answer, fail: () => reject(new Error('away')) });
      }),
    { patienceMs: 60_000, ...bounds },
  );
  const query = (place: number) => until(() => queries[place]);
  return { read, queries, query };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('calls of one turn share a query, and each gets its own answer', async () => {
  const { read, queries, query } = reader();
  const answers = Promise.all([read(1), read(2), read(3)]);
  (await query(0)).answer();
  expect(await answers).toEqual([10, 20, 30]);
  expect(queries.map(({ keys }) => keys)).toEqual([[1, 2, 3]]);
});

test('while a query is on its way the next calls gather, for a query that begins after them', async () => {
  const { read, queries, query } = reader();
  const first = read(1);
  await query(0);
  const gathered = [read(3), read(4)];
  await turn();
  gathered.push(read(5));
  expect(queries).toHaveLength(1);
  (await query(0)).answer();
  expect(await first).toBe(10);
  expect((await query(1)).keys).toEqual([3, 4, 5]);
  const late = read(6);
  await turn();
  expect(queries).toHaveLength(2);
  (await query(1)).answer();
  expect(await Promise.all(gathered)).toEqual([30, 40, 50]);
  (await query(2)).answer();
  expect(await late).toBe(60);
});

test('a query that fails fails its own calls, and no others', async () => {
  const { read, query } = reader();
  const failed = expect(read(1)).rejects.toThrow('away');
  (await query(0)).fail();
  await failed;
  const next = read(2);
  (await query(1)).answer();
  expect(await next).toBe(20);
});

test('a query that hangs holds nobody up for good', async () => {
  const { read, query } = reader({ patienceMs: 1 });
  void read(1);
  await query(0);
  const patient = read(2);
  (await query(1)).answer();
  expect(await patient).toBe(20);
});

test('enough calls need not wait: they go out as a second query, and no third one follows', async () => {
  const { read, queries, query } = reader({ full: 6 });
  const first = read(1);
  await query(0);
  const gathered = [read(2), read(3)];
  await turn();
  expect(queries).toHaveLength(1);
  gathered.push(read(4));
  expect((await query(1)).keys).toEqual([2, 3, 4]);
  const third = [read(5), read(6), read(7)];
  await turn();
  expect(queries).toHaveLength(2);
  (await query(1)).answer();
  expect((await query(2)).keys).toEqual([5, 6, 7]);
  expect(await Promise.all(gathered)).toEqual([20, 30, 40]);
  (await query(2)).answer();
  (await query(0)).answer();
  expect([await first, await Promise.all(third)]).toEqual([10, [50, 60, 70]]);
});

test('very many calls go out in parts, and the next query goes out before the answers of the last are read', async () => {
  const { read, queries, query } = reader({ full: 2 });
  const calls = [1, 2, 3, 4, 5, 6].map((key) => read(key));
  expect([(await query(0)).keys, (await query(1)).keys]).toEqual([
    [1, 2],
    [3, 4],
  ]);
  const sentWhenAnswered = calls[0]?.then(() => queries.length);
  (await query(0)).answer();
  expect(await sentWhenAnswered).toBe(3);
  (await query(1)).answer();
  (await query(2)).answer();
  expect(await Promise.all(calls)).toEqual([10, 20, 30, 40, 50, 60]);
});
