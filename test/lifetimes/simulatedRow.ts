import { renewalDelayMs } from '../../src/billing/spread';
import { nextTimer } from '../../src/billing/schedule';
import { type PeriodLength } from '../../src/billing/periods';
import { type Dunning } from '../../src/billing/dunning';
import { type ChangeRequest, type SubscriptionSnapshot } from '../../workflows/messages';

/** The row of a simulated subscription, and the history of its steps. All times are the merchant's. */

export interface Plan extends PeriodLength {
  id: number;
  priceMinor: number;
  trial?: PeriodLength;
}

export type RowState = SubscriptionSnapshot['state'] | 'incomplete' | 'incomplete_expired';

export interface Row {
  id: number;
  version: number;
  state: RowState;
  plan: Plan;
  pendingPlan?: Plan | undefined;
  autoRenew: boolean;
  canceledMs?: number | undefined;
  hasCard: boolean;
  cycle: number;
  attempt: number;
  anchorMs: number;
  periodNo: number;
  periodStartMs: number;
  periodEndMs: number;
  trial?: { startMs: number; endMs: number } | undefined;
  pausesAtPeriodEnd: boolean;
  resumesAtMs?: number | undefined;
  dueMinor: number;
  collectsAtMs?: number | undefined;
  graceDays: number;
  retryDays: readonly number[];
  dunning?: Dunning | undefined;
  deferral?: { sinceMs: number; tries: number; nextTryMs: number } | undefined;
  processingMs?: number | undefined;
  /** The number of paid charges so far. */
  paidCharges: number;
  paidMinor: number;
  paidFromMs: number;
  reminded: string[];
  stateBeforeRevocation?: SubscriptionSnapshot['state'] | undefined;
}

/** One line of the history. */
export interface Step {
  /** In the merchant's time. */
  atMs: number;
  /** In real time. */
  nowMs: number;
  reason: string;
  /** Who requested the step; undefined if it was due. */
  requestId: string | undefined;
  before: Row;
  after: Row;
}

const dayMs = 86_400_000;

const hasBegun = (state: RowState): state is SubscriptionSnapshot['state'] =>
  state !== 'incomplete' && state !== 'incomplete_expired';

export function toSnapshot(row: Row): SubscriptionSnapshot {
  if (!hasBegun(row.state)) throw new Error('the subscription has not begun');
  const { deferral, dunning, trial, resumesAtMs, collectsAtMs, processingMs } = row;
  const accessEndMs = dunning
    ? dunning.failedMs + dunning.graceDays * dayMs
    : row.periodStartMs + row.graceDays * dayMs;
  return {
    version: row.version,
    state: row.state,
    autoRenew: row.autoRenew,
    ...(!row.autoRenew && { isCanceled: row.canceledMs !== undefined }),
    cycle: row.cycle,
    attempt: row.attempt,
    periodEndMs: row.periodEndMs,
    ...(trial && { trial }),
    pausesAtPeriodEnd: row.pausesAtPeriodEnd,
    ...(resumesAtMs !== undefined && { resumesAtMs }),
    dueMinor: row.dueMinor,
    ...(collectsAtMs !== undefined && { collectsAtMs }),
    ...(dunning && { dunning }),
    ...(deferral && { deferral: { ...deferral, graceEndsMs: accessEndMs } }),
    ...(processingMs !== undefined && {
      processing: {
        nextLookMs: processingMs + dayMs,
        ...(row.paidCharges === 0 && !trial && { isFirst: true as const }),
      },
    }),
    reminded: row.reminded,
  };
}

/** Steps are taken at a version of the row. A step that is repeated returns the state after its first execution. */
export class RowHistory {
  readonly steps: Step[] = [];
  /** The stored requests that the run has not decided on. */
  requests: readonly ChangeRequest[] = [];

  constructor(
    readonly row: Row,
    private readonly nowMs: () => number,
  ) {}

  change(
    changes: Partial<Row>,
    { reason, atMs, requestId }: { reason: string; atMs: number; requestId?: string },
  ): void {
    const before = { ...this.row };
    Object.assign(this.row, { collectsAtMs: undefined, ...changes, version: before.version + 1 });
    if (this.isOver) this.requests = [];
    this.steps.push({ atMs, nowMs: this.nowMs(), reason, requestId, before, after: { ...this.row } });
  }

  store(request: ChangeRequest): void {
    const isStored = this.requests.some(({ id }) => id === request.id);
    if (!this.isOver && !isStored) this.requests = [...this.requests, request];
  }

  /** The state after the step that was taken at a version. */
  snapshotAfter(version: number): SubscriptionSnapshot {
    const step = this.steps.find(({ before }) => before.version === version);
    return toSnapshot(step?.after ?? this.row);
  }

  /** When the run has its next step; undefined if only a message continues it. */
  nextDueMs(): number | undefined {
    if (!hasBegun(this.row.state)) return 0;
    const due = nextTimer(toSnapshot(this.row));
    return due && due.atMs + (due.what === 'renew' ? renewalDelayMs(this.row.id) : 0);
  }

  get isOver(): boolean {
    return ['incomplete_expired', 'canceled', 'expired'].includes(this.row.state);
  }
}
