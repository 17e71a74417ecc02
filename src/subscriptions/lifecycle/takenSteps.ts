import { type Transaction } from '../../adapters/postgres/connection';
import { type StepInput, type SubscriptionSnapshot } from '../../../workflows/messages';
import { RowAheadError } from '../restorations';
import { findChange, findStandingAfter } from '../transitions.model';
import { isRepeated, isSameStep } from './repeatedSteps';

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
  const taken = await findTaken(input.subscriptionId, input.version, inTransaction);
  if (!taken) return undefined;
  if (!isSameStep(input, taken)) throw new RowAheadError(input);
  return taken.snapshot;
}

/**
 * What the history says about the message that is complete with the step. `isComplete`: it was complete before and comes
 * again, because a run lost its answer. It changes nothing then. `newId`: the id that the history records with the step. The
 * history contains an id once.
 */
export async function findMessage(
  input: StepInput,
  inTransaction: Transaction,
): Promise<{ isComplete: boolean; newId?: string }> {
  const { subscriptionId, completes } = input;
  if (completes === undefined) return { isComplete: false };
  const madeAt = await findChange(inTransaction, subscriptionId, completes);
  if (!madeAt) return { isComplete: false, newId: completes };
  return { isComplete: isRepeated(input, madeAt.getTime()) };
}
