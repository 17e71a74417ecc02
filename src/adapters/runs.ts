import { type WorkflowName } from '../../workflows/messages';
import { transaction, type Transaction } from './postgres/connection';
import { isHere } from './postgres/moving';
import { statement } from './postgres/statement';
import { endRun, signalOrStartWorkflow, startMissingRun, type RunStart } from './temporal';

/**
 * The rows that need a run of a workflow. PostgreSQL is the authority: as long as a row needs a run, a run that is missing
 * in Temporal is started again.
 */

/** The pace of a sweep. */
export interface SweepPace {
  /** A row is checked once it has been due for this long. */
  overdueSeconds: number;
  /** The sweep signals an existing run to compare itself with its row once the row has been due for this long. */
  lateSeconds: number;
  /** The time between two checks of a due row. */
  againSeconds: number;
  /** The time from the start of one round over all rows to the start of the next. */
  roundSeconds: number;
  /** The most due rows, and the most rows of the round, that one sweep checks. */
  rows: number;
}

/** A row whose run may be missing. */
export interface RunCheck {
  workflowId: string;
  /** Starts the run if it is missing, and returns whether it was. Signals an existing run whose row is late. */
  start(): Promise<boolean>;
  /** Ends the run, because the merchant moves to another installation. */
  end(): Promise<void>;
}

/** How many rows of a kind need a run, and how many of those are overdue. */
export interface RunCounts {
  needed: number;
  overdue: number;
  oldestSeconds: number;
}

/** A kind of row that needs a run. */
export interface RunSource {
  workflow: WorkflowName;
  /** The run of the row that a workflow id names; undefined if the row needs none. */
  find(workflowId: string): Promise<RunStart | undefined>;
  /** Takes overdue rows. Each is taken again after `againSeconds` at the earliest. */
  takeDue(pace: SweepPace, limit: number): Promise<RunCheck[]>;
  /** Takes the next rows of the round over all rows, due or not; none if the round is complete. */
  takeNext(pace: SweepPace, limit: number): Promise<RunCheck[]>;
  count(): Promise<RunCounts>;
  /** Temporal starts the runs by a schedule, so that no run is missing between two of them. */
  isScheduled: boolean;
  /** The runs that the rows of these merchants need, also of merchants that move to another installation. */
  listOf(merchantIds: readonly number[]): AsyncIterable<RunCheck[]>;
}

/** A table whose rows need runs. SQL fragments name the row `r`. */
export interface RunTable<Row extends { id: number }> {
  workflow: WorkflowName;
  table: string;
  /** The start of the workflow ids, followed by the row's token. */
  idPrefix: string;
  /** The columns of `Row`. */
  columns: string;
  /** The condition for rows that need a run, equal to that of the partial index. */
  needsRun: string;
  /** The column that says when the row is due. */
  dueAt: string;
  /** The clock of that column. A merchant's test clock may be ahead of real time. */
  clock: 'merchant' | 'real';
  runOf(row: Row): Omit<RunStart, 'workflow'>;
  /** The signal that tells a run to compare itself with its row, because it may have lost a step. */
  lateSignal?: string;
  /** For runs that a Temporal schedule starts: creates the schedule if it is missing. */
  restore?(row: Row): Promise<boolean>;
  /** Deletes this schedule. */
  remove?(row: Row): Promise<void>;
}

export function runSource<Row extends { id: number }>(declared: RunTable<Row>): RunSource {
  const { workflow, idPrefix } = declared;
  const { find, takeDue, page, count, ofMerchants } = statementsOf(declared);
  const startOf = (row: Row): RunStart => ({ workflow, ...declared.runOf(row) });
  const dueCheckOf = (row: Row & Partial<Lateness>): RunCheck => {
    const run = startOf(row);
    const lateSignal = row.isLate ? declared.lateSignal : undefined;
    return {
      workflowId: run.workflowId,
      start: async () => {
        const isStarted = await startMissingRun(run);
        if (!isStarted && lateSignal !== undefined) await signalOrStartWorkflow(run, lateSignal);
        return isStarted;
      },
      end: async () => {
        await declared.remove?.(row);
        await endRun(run.workflowId, 'the merchant moves to another installation');
      },
    };
  };
  const checkOf = (row: Row): RunCheck => {
    const check = dueCheckOf(row);
    return { ...check, start: () => declared.restore?.(row) ?? check.start() };
  };
  return {
    workflow,
    find: async (workflowId) => {
      if (!workflowId.startsWith(idPrefix)) return undefined;
      const [row] = await find([workflowId.slice(idPrefix.length)]);
      return row && startOf(row);
    },
    takeDue: async ({ overdueSeconds, againSeconds, lateSeconds }, limit) =>
      (await takeDue([overdueSeconds, againSeconds, limit, lateSeconds])).map(dueCheckOf),
    takeNext: async ({ roundSeconds }, limit) => (await takePage({ workflow, roundSeconds, limit }, page)).map(checkOf),
    count: async () => (await count([overdueAfterSeconds]))[0] ?? noRuns,
    isScheduled: declared.restore !== undefined,
    listOf: async function* (merchantIds) {
      for (let rows: Row[] = [], first = true; first || rows.length === listedAtOnce; first = false) {
        rows = await ofMerchants([merchantIds, rows.at(-1)?.id ?? 0, listedAtOnce]);
        yield rows.map(checkOf);
      }
    },
  };
}

/** Whether an overdue row has been due for `lateSeconds`. */
interface Lateness {
  isLate: boolean;
}

const listedAtOnce = 1_000;

function statementsOf<Row extends { id: number }>(declared: RunTable<Row>) {
  const { workflow, table, columns } = declared;
  const needsRun = `${declared.needsRun} AND ${isHere('r.merchant_id')}`;
  return {
    ofMerchants: statement<Row>(
      `run_of_merchants_${workflow}`,
      `SELECT ${columns} FROM ${table} r WHERE r.merchant_id = ANY($1::int[]) AND r.id > $2 AND ${declared.needsRun}
       ORDER BY r.id LIMIT $3`,
    ),
    find: statement<Row>(
      `run_find_${workflow}`,
      `SELECT ${columns} FROM ${table} r WHERE r.token::text = $1 AND ${needsRun}`,
    ),
    takeDue: statement<Row & Lateness>(
      `run_take_due_${workflow}`,
      `UPDATE ${table} r SET run_checked_at = now() WHERE r.id IN (
         SELECT r.id FROM ${table} r WHERE ${needsRun} AND ${isOverdue(declared, '$1')}
           AND (r.run_checked_at IS NULL OR r.run_checked_at <= now() - make_interval(secs => $2))
         ORDER BY ${declared.dueAt} LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING ${columns}, ${isOverdue(declared, '$4')} AS "isLate"`,
    ),
    page: statement<Row>(
      `run_page_${workflow}`,
      `SELECT ${columns} FROM ${table} r WHERE r.id > $1 AND ${needsRun} ORDER BY r.id LIMIT $2`,
    ),
    count: statement<RunCounts>(
      `run_count_${workflow}`,
      `SELECT count(*)::int AS needed, count(*) FILTER (WHERE ${isOverdue(declared, '$1')})::int AS overdue,
         coalesce(extract(epoch FROM max(${presentOf(declared)} - ${declared.dueAt})
           FILTER (WHERE ${isOverdue(declared, '$1')})), 0)::float8 AS "oldestSeconds"
       FROM ${table} r WHERE ${needsRun}`,
    ),
  };
}

const noRuns: RunCounts = { needed: 0, overdue: 0, oldestSeconds: 0 };

/** A running workflow processes its row within seconds after it is due. */
const overdueAfterSeconds = 120;

type DueRow = Pick<RunTable<{ id: number }>, 'dueAt' | 'clock'>;

const presentOf = ({ clock }: DueRow) => (clock === 'merchant' ? 'merchant_now(r.merchant_id)' : 'now()');

/** A row is not overdue just because its merchant's test clock has jumped past the due time. */
function isOverdue({ dueAt, clock }: DueRow, seconds: string): string {
  const late = `make_interval(secs => ${seconds})`;
  if (clock === 'real') return `${dueAt} <= now() - ${late}`;
  // Two sets of merchants, not a look-up for each row: a clock that is ahead makes many rows candidates.
  const movedNow = `SELECT c.merchant_id FROM test_clocks c WHERE c.updated_at > now() - ${late}`;
  const ahead = `SELECT c.merchant_id FROM test_clocks c WHERE c.updated_at <= now() - ${late}`;
  return `(${dueAt} <= now() - ${late} + (SELECT coalesce(max(c.ahead), interval '0') FROM test_clocks c)
    AND (${dueAt} <= now() - ${late} AND r.merchant_id NOT IN (${movedNow})
      OR r.merchant_id IN (${ahead}) AND ${dueAt} <= merchant_now(r.merchant_id) - ${late}))`;
}

const enterStatement = statement(
  'run_round_enter',
  'INSERT INTO run_rounds (workflow) VALUES ($1) ON CONFLICT DO NOTHING',
);
const turnStatement = statement<{ afterId: number }>(
  'run_round_turn',
  `SELECT after_id AS "afterId" FROM run_rounds WHERE workflow = $1
     AND (after_id > 0 OR began_at <= now() - make_interval(secs => $2)) FOR UPDATE SKIP LOCKED`,
);
const moveStatement = statement(
  'run_round_move',
  'UPDATE run_rounds SET after_id = $2, began_at = CASE WHEN after_id = 0 THEN now() ELSE began_at END WHERE workflow = $1',
);

/** Several workers share a round: each takes the rows after the last ones taken. */
function takePage<Row extends { id: number }>(
  { workflow, roundSeconds, limit }: { workflow: WorkflowName; roundSeconds: number; limit: number },
  page: (values: unknown[], inTransaction: Transaction) => Promise<Row[]>,
): Promise<Row[]> {
  return transaction(async (inTransaction) => {
    await enterStatement([workflow], inTransaction);
    const [turn] = await turnStatement([workflow, roundSeconds], inTransaction);
    if (!turn) return [];
    const rows = await page([turn.afterId, limit], inTransaction);
    const isLast = rows.length < limit;
    await moveStatement([workflow, isLast ? 0 : (rows.at(-1)?.id ?? 0)], inTransaction);
    return rows;
  });
}

const sources = new Map<WorkflowName, RunSource>();

/** Registers the tables whose rows need runs. Each program calls it before it sends anything to Temporal. */
export function knowRuns(known: readonly RunSource[]): void {
  for (const source of known) sources.set(source.workflow, source);
}

export const knownRuns = (): RunSource[] => [...sources.values()];

/** The run of a row; undefined if the row needs none. */
export async function findRun(workflow: WorkflowName, workflowId: string): Promise<RunStart | undefined> {
  if (sources.size === 0) throw new Error('knowRuns must be called first');
  return sources.get(workflow)?.find(workflowId);
}
