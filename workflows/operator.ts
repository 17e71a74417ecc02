import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { type Timer } from '../src/billing/schedule';
import { searchAttributes, type SubscriptionSnapshot } from './messages';

const stateKey = defineSearchAttributeKey(searchAttributes.state, SearchAttributeType.KEYWORD);
const failureKey = defineSearchAttributeKey(searchAttributes.failureReason, SearchAttributeType.KEYWORD);

/** Shows the state in the Temporal UI and sets its search attribute. */
export function show(state: string, details: string): void {
  setCurrentDetails(details);
  if (workflowInfo().typedSearchAttributes.get(stateKey) !== state)
    upsertSearchAttributes([{ key: stateKey, value: state }]);
}

/** Shows a failure: its reason as a search attribute, its message in the Temporal UI. */
export function showFailure(state: string, failure: { reason: string; message: string }): void {
  show(state, `### Failed\n${failure.message}`);
  upsertSearchAttributes([{ key: failureKey, value: failure.reason }]);
}

const names: Record<SubscriptionSnapshot['state'], string> = {
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

/** Shows a subscription's state and its next step. Times are the merchant's. */
export function showSnapshot(snapshot: SubscriptionSnapshot, due: Timer | undefined, nowMs: number): void {
  const { state, periodEndMs, dunning } = snapshot;
  const lines = [`### ${names[state]}`];
  if (state === 'active' || state === 'trialing')
    lines.push(`${state === 'active' ? 'Paid' : 'Free'} until ${day(periodEndMs)}.`);
  if (dunning) lines.push(`The payment failed ${day(dunning.failedMs)}; tries so far: ${dunning.retries + 1}.`);
  if (due && (due.what !== 'renew' || due.atMs > periodEndMs)) lines.push(`Next: ${due.summary}, ${day(due.atMs)}.`);
  // The timers of a run show real time, so the offset of a test clock is also shown.
  if (nowMs - Date.now() > 1_000) lines.push(`The merchant’s time is ${day(nowMs)}.`);
  show(state, lines.join('\n'));
}
