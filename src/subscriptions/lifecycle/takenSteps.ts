import { type Transaction } from '../../adapters/postgres/connection';
import { type StepInput, type SubscriptionSnapshot } from '../../../workflows/messages';
import { RowAheadError } from '../restorations';
import { findStandingAfter, hasChange } from '../transitions.model';

/** Steps that were taken before, as the history of a subscription shows them. */

/** The first line of the history is the submission, which has no version. */
export const sequenceOf = (version: number): number => version + 1;

export async function findTaken(subscriptionId: number, version: number, inTransaction: Transaction) {
  const taken = await findStandingAfter(inTransaction, { subscriptionId, sequence: sequenceOf(version + 1) });
  return taken && { ...taken, snapshot: taken.snapshot as SubscriptionSnapshot };
}

/**
 * The state after a step that was taken before. Throws if another request led to that step: a worker took it, and lost its
 * workflow task together with the request. Undefined if the history does not contain the step.
 */
export async function snapshotAfter(input: StepInput, inTransaction: Transaction) {
  const taken = await findTaken(input.subscriptionId, input.version, inTransaction);
  const isSame = taken?.requestId === (input.actor?.requestId ?? null);
  const isSameRequest = input.completes !== undefined && taken?.changeId === input.completes;
  if (taken && !isSame && !isSameRequest) throw new RowAheadError(input);
  return taken?.snapshot;
}

/** The request that is complete with the step. A request that is carried out again is complete already. */
export async function completedBy({ subscriptionId, completes }: StepInput, inTransaction: Transaction) {
  if (completes === undefined || (await hasChange(inTransaction, subscriptionId, completes))) return undefined;
  return completes;
}
