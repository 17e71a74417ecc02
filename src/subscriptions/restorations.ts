import { type Client } from 'pg';
import { logger } from '../adapters/logger';
import { transaction } from '../adapters/postgres/connection';
import { beginSeries, type LostNumbers } from '../invoices/series';
import { skipEvents } from '../notifications/publish';
import { checkRowSignal, subscriptionWorkflowId } from '../../workflows/messages';
import {
  findNewest,
  findUnlisted,
  findVersion,
  insertBehind,
  insertArrival,
  insertRestoration,
  isOfMarkedRestore,
  isRefundRestored,
  isRemovedDemo,
  listAgain,
  noteListed,
  skipIds,
  signalRuns,
  type RowVersion,
} from './restorations.model';

export { findUnlisted, isRefundRestored, listAgain, noteListed };

/**
 * PostgreSQL was restored to an older state than Temporal. The row is the authority: a run that is ahead of its row
 * starts again from the row, and the operator is alerted.
 */
export class RowBehindError extends Error {
  /** The row does not exist, or its id belongs to another subscription. */
  readonly isGone: boolean;

  constructor(
    readonly run: RunVersion,
    readonly row: RowVersion | undefined,
  ) {
    super(`subscription ${run.subscriptionId} is behind its run`);
    this.isGone = row === undefined || !isRowOf(run, row);
  }
}

/**
 * The row has a step that its run does not know: a worker took it, and its workflow task was lost with it. The run starts
 * again from the row.
 */
export class RowAheadError extends Error {
  constructor({ subscriptionId, version }: Pick<RunVersion, 'subscriptionId' | 'version'>) {
    super(`subscription ${subscriptionId} is ahead of version ${version} of its run`);
  }
}

/**
 * The version that a run knows. `workflowId` proves that the row belongs to the run, because a restored database may
 * reuse an id.
 */
export interface RunVersion {
  subscriptionId: number;
  version: number;
  workflowId: string;
}

const isRowOf = ({ workflowId }: RunVersion, { token }: RowVersion) =>
  workflowId === '' || workflowId === subscriptionWorkflowId(token);

/** The error for a row that is behind its run; undefined if it is not. */
export function findBehind(run: RunVersion, row: RowVersion | undefined): RowBehindError | undefined {
  if (row && isRowOf(run, row) && row.version >= run.version) return undefined;
  return new RowBehindError(run, row);
}

/** Throws if the row is behind its run, or has a step that the run does not know, for example a cancellation. */
export async function refuseOutOfSync(run: RunVersion): Promise<void> {
  const row = await findVersion(run.subscriptionId);
  const behind = findBehind(run, row);
  if (behind) throw behind;
  if (row && row.version > run.version) throw new RowAheadError(run);
}

/**
 * Alerts the operator. From now on, every charge of the backup is looked up at the provider before it is sent. A row that was
 * removed with demo data is no sign of a backup.
 */
export async function reportBehind({ run, row, isGone }: RowBehindError): Promise<void> {
  if (isGone && (await isRemovedDemo(run.subscriptionId))) return;
  const rowVersion = isGone || !row ? null : row.version;
  const about = { subscriptionId: run.subscriptionId, workflowId: run.workflowId, runVersion: run.version, rowVersion };
  logger.error(about, 'a row is behind its run: PostgreSQL was restored to an older state (npm run restored)');
  const backupAt = row?.updatedAt ?? new Date(Date.now() - unknownBackupMs);
  await transaction(async (inTransaction) => {
    await insertBehind(inTransaction, about);
    const isNew = await insertRestoration(inTransaction, { backupAt, foundBy: 'run' });
    // A run of a lost purchase may wake months after the command that began the series.
    const isMarked = isGone && (await isOfMarkedRestore(inTransaction, run.subscriptionId));
    if (isNew && !isMarked) await beginSeries(inTransaction, backupAt);
  });
}

/** The assumed age of the backup if the row is missing. */
const unknownBackupMs = 7 * 86_400_000;

export interface MarkedRestoration {
  backupAt: Date;
  /** The number of runs that receive a signal. */
  signaled: number;
  lostNumbers: LostNumbers[];
}

/**
 * The operator has restored a backup: every run receives a signal to compare itself with its row, and invoices continue in
 * a new series, each time the command is run.
 */
export function markRestored(backupAt?: Date): Promise<MarkedRestoration> {
  return transaction(async (inTransaction) => {
    const since = backupAt ?? new Date((await findNewest(inTransaction)).getTime() - marginMs);
    await insertRestoration(inTransaction, { backupAt: since, foundBy: 'operator' });
    await skipIds(inTransaction, skippedIds);
    const lostNumbers = await beginSeries(inTransaction, since);
    const signaled = await signalRuns(inTransaction, subscriptionWorkflowId(''), checkRowSignal);
    await skipEvents(inTransaction, skippedIds);
    return { backupAt: since, signaled, lostNumbers };
  });
}

/**
 * A merchant has come from another installation with its purchases. As after a restored backup, each of their charges is looked up
 * at the provider before it is sent, and payments since the export are recorded.
 */
export const noteUnseenPayments = (client: Client, exportedAt: string): Promise<void> =>
  insertArrival(client, exportedAt);

/** A margin, because the clocks of two machines differ and a payment may have been in progress. */
const marginMs = 3_600_000;
const skippedIds = 100_000;
