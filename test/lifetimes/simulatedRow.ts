import { renewalDelayMs } from '../../src/billing/spread';
import { nextTimer } from '../../src/billing/schedule';
import { type PeriodLength } from '../../src/billing/periods';
import { type Dunning } from '../../src/billing/dunning';
import { isRepeated, isSameStep } from '../../src/subscriptions/lifecycle/repeatedSteps';
import { type ChangeRequest, type StepInput, type SubscriptionSnapshot } from '../../workflows/messages';

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
  /** The change or the message that the step made. */
  changeId: string | undefined;
  /** The changes that the row stored before the step. */
  stored: readonly ChangeRequest[];
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
  /** When each request was stored, in real time. */
  readonly storedMs = new Map<string, number>();
  /** How often a run found a step in the row that it had lost. */
  lostSteps = 0;

  constructor(
    readonly row: Row,
    private readonly nowMs: () => number,
  ) {}

  change(
    changes: Partial<Row>,
    { reason, atMs, requestId, changeId }: Pick<Step, 'reason' | 'atMs'> & Partial<Step>,
  ): void {
    const before = { ...this.row };
    const stored = this.requests;
    Object.assign(this.row, { collectsAtMs: undefined, ...changes, version: before.version + 1 });
    if (this.isOver) this.requests = [];
    this.steps.push({ atMs, nowMs: this.nowMs(), reason, requestId, changeId, stored, before, after: { ...this.row } });
  }

  store(request: ChangeRequest): void {
    const isStored = this.requests.some(({ id }) => id === request.id);
    if (this.isOver || isStored) return;
    this.requests = [...this.requests, request];
    this.storedMs.set(request.id, this.nowMs());
  }

  /** The state after a step that was taken before. Undefined if another step was taken in its place. */
  snapshotAfter(input: StepInput): SubscriptionSnapshot | undefined {
    const step = this.steps.find(({ before }) => before.version === input.version);
    if (!step) return toSnapshot(this.row);
    const { changeId = null, requestId = null } = step;
    return isSameStep(input, { changeId, requestId }) ? toSnapshot(step.after) : undefined;
  }

  /** Whether the message that the step completes was made before, and the id that the history records with the step. */
  findMessage(input: StepInput): { isComplete: boolean; newId?: string } {
    const { completes } = input;
    const made = this.steps.find(({ changeId }) => changeId !== undefined && changeId === completes);
    if (made) return { isComplete: isRepeated(input, made.atMs) };
    return { isComplete: false, ...(completes !== undefined && { newId: completes }) };
  }

  /** When the run has its next step; undefined if only a message continues it. */
  nextDueMs(): number | undefined {
    if (!hasBegun(this.row.state)) return 0;
    const due = nextTimer(toSnapshot(this.row));
    return due && due.atMs + (due.what === 'renew' ? renewalDelayMs(this.row.id) : 0);
  }

  get isBegun(): boolean {
    return hasBegun(this.row.state);
  }

  get isOver(): boolean {
    return ['incomplete_expired', 'canceled', 'expired'].includes(this.row.state);
  }
}
