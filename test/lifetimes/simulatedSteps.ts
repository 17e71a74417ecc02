import { ApplicationFailure } from '@temporalio/common';
import { rowAhead, rowBehind, type StepInput, type SubscriptionSnapshot } from '../../workflows/messages';
import { toSnapshot, type Row, type RowHistory } from './simulatedRow';

/** What a step changes. `changeId`: the id of a change that takes effect once. */
export interface Decision {
  changes: Partial<Row>;
  reason: string;
  changeId?: string | undefined;
}

/** The version that a run knows. Undefined if the input names none. */
interface Known {
  version?: number | undefined;
}

/**
 * The steps of a simulated row. As in `src/subscriptions/lifecycle/steps.ts`, a step is taken once, at the version that
 * its run knows.
 */
export function stepsOn(history: RowHistory) {
  const { row } = history;

  function refuseBehind({ version = row.version }: Known): void {
    if (row.version < version) throw ApplicationFailure.nonRetryable('the row is behind', rowBehind);
  }

  function refuseAhead({ version = row.version }: Known): void {
    if (row.version <= version) return;
    history.lostSteps += 1;
    throw ApplicationFailure.nonRetryable('the row is ahead', rowAhead);
  }

  function refuseOutOfSync(known: Known): void {
    refuseBehind(known);
    refuseAhead(known);
  }

  function take(input: StepInput, decide: () => Decision): SubscriptionSnapshot {
    const before = row.version > input.version ? history.snapshotAfter(input) : undefined;
    if (before) return before;
    refuseOutOfSync(input);
    const { isComplete, newId } = history.findMessage(input);
    if (isComplete) return toSnapshot(row);
    const { changes, reason, changeId = newId } = decide();
    history.change(changes, { reason, atMs: input.atMs, requestId: input.actor?.requestId, changeId });
    return toSnapshot(row);
  }

  return { take, refuseAhead, refuseOutOfSync };
}
