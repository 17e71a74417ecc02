import { AsyncLocalStorage } from 'node:async_hooks';
import { config } from '../../config';
import { logger } from '../logger';
import { countFallback } from '../replicaMetrics';
import { hasReplica, readFromReplica, ReplicaFault, readReplicaState, type ReplicaState } from './replica';
import { openTransaction } from './requestWork';
import { query } from './statement';

/**
 * Reports are read from the replica if there is one, and from the primary if it is away or too far behind. Two steps choose
 * the replica, so that no rule reads from it by accident: the rule is inside `asReport`, and the statement is a `reportQuery`.
 */

const onReplica = new AsyncLocalStorage<true>();

/** Readers are not told of a shorter lag. */
const noticeableSeconds = 2;
/** A replica that failed is not asked again for this time, so that reports do not wait for it one after another. */
const restMs = 5_000;
let restsUntil = 0;

export interface ReportTime {
  /** The time of the state that a report shows, in Unix seconds. Absent: the state is current. */
  as_of?: number;
}

/** The report of one source. If the replica fails on the way, the whole report is read from the primary. */
export async function asReport<Report extends object>(work: () => Promise<Report>): Promise<Report & ReportTime> {
  const state = await findUsableReplica();
  if (state === undefined) return work();
  try {
    const report = await onReplica.run(true, work);
    return isNoticeable(state) ? { ...report, as_of: Math.floor(state.replayedAt) } : report;
  } catch (error) {
    if (!(error instanceof ReplicaFault)) throw error;
    fallBack(error);
    return work();
  }
}

/** The same for the parts of a long list: each part finds its source. */
export function asReportPart<Args extends unknown[], Row>(read: (...args: Args) => Promise<Row[]>) {
  return async (...args: Args): Promise<Row[]> => {
    const { rows } = await asReport(async () => ({ rows: await read(...args) }));
    return rows;
  };
}

/** One statement of a report with bound parameters, planned for their values. Outside `asReport` it asks the primary. */
export function reportQuery<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
  return onReplica.getStore() ? readFromReplica<Row>(text, values) : query<Row>(text, values);
}

function isNoticeable(state: ReplicaState): state is ReplicaState & { replayedAt: number } {
  return state.lagSeconds > noticeableSeconds && state.replayedAt !== null;
}

/** Undefined: the report is read from the primary. A request that has written reads its own changes there. */
async function findUsableReplica(): Promise<ReplicaState | undefined> {
  if (!hasReplica || openTransaction()) return undefined;
  if (performance.now() < restsUntil) {
    countFallback('away');
    return undefined;
  }
  try {
    const state = await readReplicaState();
    if (state.lagSeconds <= config.REPORTS_LAG_SECONDS) return state;
    countFallback('behind');
  } catch (error) {
    fallBack(new ReplicaFault('away', error));
  }
  return undefined;
}

function fallBack({ reason, message }: ReplicaFault): void {
  countFallback(reason);
  if (reason === 'away') restsUntil = performance.now() + restMs;
  logger.warn({ reason: message }, 'a report is read from the primary, because the replica failed');
}
