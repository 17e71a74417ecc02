import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { type Due } from './agenda';
import { searchAttributes, type Standing } from './messages';

const stateKey = defineSearchAttributeKey(searchAttributes.state, SearchAttributeType.KEYWORD);
const failureKey = defineSearchAttributeKey(searchAttributes.failureReason, SearchAttributeType.KEYWORD);

/** What an operator reads in the Temporal UI, and searches for. */
export function show(state: string, details: string): void {
  setCurrentDetails(details);
  if (workflowInfo().typedSearchAttributes.get(stateKey) !== state)
    upsertSearchAttributes([{ key: stateKey, value: state }]);
}

/** Why it failed: an operator searches for the reason, and reads the message. */
export function showFailure(state: string, failure: { reason: string; message: string }): void {
  show(state, `### Failed\n${failure.message}`);
  upsertSearchAttributes([{ key: failureKey, value: failure.reason }]);
}

const names: Record<Standing['state'], string> = {
  trialing: 'Trial',
  active: 'Active',
  past_due: 'Past due',
  on_hold: 'On hold',
  paused: 'Paused',
  canceled: 'Canceled',
  expired: 'Expired',
  revoked: 'Revoked',
};

const day = (atMs: number) => new Date(atMs).toISOString();

/** Where a subscription stands, and what it waits for. Instants are the merchant's. */
export function showStanding(standing: Standing, due: Due | undefined, nowMs: number): void {
  const { state, periodEndMs, dunning } = standing;
  const lines = [`### ${names[state]}`];
  if (state === 'active' || state === 'trialing')
    lines.push(`${state === 'active' ? 'Paid' : 'Free'} until ${day(periodEndMs)}.`);
  if (dunning) lines.push(`The payment failed ${day(dunning.failedMs)}; tries so far: ${dunning.retries + 1}.`);
  if (due && (due.what !== 'renew' || due.atMs > periodEndMs)) lines.push(`Next: ${due.summary}, ${day(due.atMs)}.`);
  // A test clock that is ahead would make a reader doubt the timers.
  if (nowMs - Date.now() > 1_000) lines.push(`The merchant’s time is ${day(nowMs)}.`);
  show(state, lines.join('\n'));
}
