import { type Pool } from 'pg';
import { runsRest } from './restingRuns';
import { until } from './until';

/** Tables that change without a request. */
const uncounted: Record<string, string> = {
  rate_limits: 'counts requests',
  hourly_counts: 'counts requests',
  wrong_guesses: 'counts failures',
  idempotency_keys: 'keeps answers, refusals too',
  audit_chains: 'counts entries of the audit log, refusals too',
};

/** Of all rows, in any order: their number, and the sum of a 64-bit hash of each. */
const hashOf = (rows: string) => `count(*) || ' ' || coalesce(sum(hashtextextended(${rows}::text, 0)), 0)`;

/** Each figure, from both tables. A value is added to one table and moved to the other a moment later. */
const figures = ['figure_deltas', 'daily_figures'];
const figuresHash = `
  SELECT 'figures', ${hashOf('f')}
  FROM (
    SELECT merchant_id, figure, dimension, day, key, currency, sum(count) AS count, sum(amount_minor) AS amount_minor
    FROM (
      SELECT merchant_id, figure, dimension, day, key, currency, count, amount_minor FROM daily_figures
      UNION ALL
      SELECT merchant_id, figure, d.dimension, day, d.key, currency, count, amount_minor
      FROM figure_deltas CROSS JOIN LATERAL unnest(dimensions, keys) AS d (dimension, key)
    ) known
    GROUP BY merchant_id, figure, dimension, day, key, currency
  ) f`;

/** Tables of which only some rows count. */
const counted: Record<string, string> = { audit_log: "WHERE action <> 'request.refuse'" };

/** Columns that change without a request: the last use of a session is written a moment later, and every few minutes. */
const uncountedColumns: Record<string, string> = { sessions: 'last_used_at' };

const rowOf = (name: string) => (name in uncountedColumns ? `(to_jsonb(t) - '${uncountedColumns[name]}')` : 't');

/** What `fingerprint` found last. */
interface Reading {
  hashes: Record<string, string>;
  counts: Record<string, number>;
  /** All rows of transactions before this one are in the hashes. */
  firstUnread: string;
}

/** PostgreSQL's first transaction of a user. All rows are of it or of a later one. */
const firstTransaction = '3';

const lastReadings = new WeakMap<Pool, Reading>();

/**
 * The content of every table as a hash of its rows. Of the outbox, which is emptied in the background, only the last id. A
 * table is hashed again when its number of rows differs or a row is of a transaction that the last reading did not see.
 */
export async function fingerprint(pool: Pool): Promise<Record<string, string>> {
  const last = lastReadings.get(pool);
  const { rows } = await pool.query<[string, number, number]>({
    // Planned once for each connection, because planning takes longer than reading.
    name: 'changes',
    text: changesOf(await tablesOf(pool)),
    values: [last?.firstUnread ?? firstTransaction],
    rowMode: 'array',
  });
  const [[firstUnread] = [''], ...tables] = rows;
  const isChanged = (name: string, count: number, unread: number) => unread > 0 || count !== last?.counts[name];
  const changed = tables.filter((table) => isChanged(...table)).map(([name]) => name);
  const reading = {
    hashes: { ...last?.hashes, ...(await hashesOf(pool, changed)) },
    counts: Object.fromEntries(tables.map(([name, count]) => [name, count])),
    firstUnread,
  };
  lastReadings.set(pool, reading);
  return reading.hashes;
}

async function tablesOf(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  return rows.map(({ name }) => name).filter((name) => !(name in uncounted));
}

/** The first transaction that is not finished; then for each table the number of rows, and of rows since transaction `$1`. */
function changesOf(names: string[]): string {
  const counts = names
    .filter((name) => name !== 'outbox')
    .map((name) => {
      const rows = `FROM "${name}" ${counted[name] ?? ''}`;
      return `SELECT '${name}', count(*), count(*) FILTER (WHERE age(xmin) <= age($1::text::xid)) ${rows}`;
    });
  const ids = `SELECT 'outbox', last_value, 0 FROM outbox_id_seq`;
  return [`SELECT pg_snapshot_xmin(pg_current_snapshot())::text, 0::bigint, 0::bigint`, ...counts, ids].join(
    ' UNION ALL ',
  );
}

async function hashesOf(pool: Pool, names: string[]): Promise<Record<string, string>> {
  const hashes = names
    .filter((name) => !figures.includes(name))
    .map((name) =>
      name === 'outbox'
        ? `SELECT 'outbox', last_value::text FROM outbox_id_seq`
        : `SELECT '${name}', ${hashOf(rowOf(name))} FROM "${name}" t ${counted[name] ?? ''}`,
    );
  if (names.some((name) => figures.includes(name))) hashes.push(figuresHash);
  if (hashes.length === 0) return {};
  const { rows } = await pool.query<[string, string]>({ text: hashes.join(' UNION ALL '), rowMode: 'array' });
  return Object.fromEntries(rows);
}

/** The tables that `work` changed. Earlier requests finish first: their mails and their runs write a moment later. */
export async function tablesChangedBy(pool: Pool, work: () => Promise<unknown>): Promise<string[]> {
  await runsRest(pool);
  await until(async () => (await pool.query('SELECT id FROM mail_requests LIMIT 1')).rows.length === 0);
  const before = await fingerprint(pool);
  await work();
  const after = await fingerprint(pool);
  return Object.keys(after).filter((name) => before[name] !== after[name]);
}
