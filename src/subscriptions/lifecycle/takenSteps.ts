import { type Transaction } from '../../adapters/postgres/connection';
import { type StepInput, type SubscriptionSnapshot } from '../../../workflows/messages';
import { RowAheadError } from '../restorations';
import { findStandingAfter, hasChange, hasChangeOfDay } from '../transitions.model';

/** Steps that were taken before, as the history of a subscription shows them. */

/** The first line of the history is the submission, which has no version. */
export const sequenceOf = (version: number): number => version + 1;

export async function findTaken(subscriptionId: number, version: number, inTransaction: Transaction) {
  const taken = await findStandingAfter(inTransaction, { subscriptionId, sequence: sequenceOf(version + 1) });
  return taken && { ...taken, snapshot: taken.snapshot as SubscriptionSnapshot };
}

/**
 * The state after a step that was taken before. Throws if another message led to that step: a worker took it, and lost its
 * workflow task together with the message. Undefined if the history does not contain the step.
 */
export async function snapshotAfter(input: StepInput, inTransaction: Transaction) {
  const { subscriptionId, version, actor } = input;
  const taken = await findTaken(subscriptionId, version, inTransaction);
  if (!taken) return undefined;
  const id = input.completes ?? input.changeId ?? null;
  const isSame = taken.changeId === id && (id !== null || taken.requestId === (actor?.requestId ?? null));
  if (!isSame) throw new RowAheadError(input);
  return taken.snapshot;
}

/**
 * Whether the message of the step was complete before. It comes again if a run lost its answer, and has no second effect. A
 * client may use its key again after a day.
 */
export async function isComplete({ subscriptionId, completes, actor, atMs }: StepInput, inTransaction: Transaction) {
  if (completes === undefined) return false;
  const change = { subscriptionId, changeId: completes };
  return actor ? hasChangeOfDay(inTransaction, change, new Date(atMs)) : hasChange(inTransaction, change);
}

/** The id that the history records. The history contains an id once. */
export async function recordedId({ subscriptionId, completes }: StepInput, inTransaction: Transaction) {
  if (completes === undefined) return undefined;
  return (await hasChange(inTransaction, { subscriptionId, changeId: completes })) ? undefined : completes;
}
