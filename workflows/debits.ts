import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import { giveUpOpen, renewed } from './periodCharges';
import { type ChangeAnswer, type CycleCharge } from './messages';
import { showFailure } from './operator';
import { debitLookMs, lookUpMaxMs, payment, quick } from './policies';
import { done, lastStepAt, stepAt, type SubscriptionRun } from './subscriptionRun';

/** Direct debits of a running subscription: the bank decides within days, and the payer can take the money back later. */

const { lookUpCharge } = proxyActivities<Activities>(payment);
const local = proxyLocalActivities<Activities>(quick);

/** Asks the provider about the open period's direct debit, after a report or at the end of a day. */
export async function lookUpDebit(run: SubscriptionRun, atMs: number): Promise<void> {
  const { subscriptionId, snapshot } = run;
  const { cycle, attempt, dueMinor: amountMinor, processing } = snapshot;
  run.answersSeen = run.answers.count;
  if (!processing) return;
  const charge: CycleCharge = { subscriptionId, cycle, attempt, amountMinor, atMs };
  const summary = `cycle ${cycle}, attempt ${attempt}`;
  const outcome = await lookUpCharge.executeWithOptions({ ...inBackground(), summary }, [charge]);
  if (outcome.outcome === 'paid') return void (await renewed(run, atMs));
  if (outcome.outcome === 'declined') return failDebit(run, outcome, atMs);
  const waitMs = outcome.outcome === 'processing' ? debitLookMs : lookUpMaxMs;
  run.snapshot = { ...snapshot, processing: { ...processing, nextLookMs: atMs + waitMs } };
}

interface Decline {
  reason: string;
  message: string;
  decline?: 'soft' | 'hard' | 'later';
}

/**
 * The outcome of a failed debit: a first debit ends the subscription, a resumption does not happen, and a renewal is
 * retried.
 */
async function failDebit(run: SubscriptionRun, declined: Decline, atMs: number): Promise<void> {
  const { reason, message, decline = 'soft' } = declined;
  const { state, attempt, processing } = run.snapshot;
  const step = { ...stepAt(run, atMs), reason, message };
  if (state === 'paused') run.snapshot = await local.refuseChange(step);
  else if (processing?.isFirst) run.snapshot = await local.failFirstDebit(step);
  else run.snapshot = await local.failRenewal({ ...step, attempt, decline });
  showFailure(run.snapshot.state, { reason, message });
}

/**
 * The payer's bank has taken back a paid debit. A renewal counts as failed. If the debit was the first payment, or paid
 * an earlier period, access ends.
 */
export async function takeDebitBack(run: SubscriptionRun, cycle: number, atMs: number): Promise<ChangeAnswer> {
  const { snapshot } = run;
  const isPeriod =
    snapshot.state === 'active' && !snapshot.processing && !snapshot.deferral && cycle === snapshot.cycle;
  if (isPeriod && (cycle > 1 || snapshot.trial)) {
    run.snapshot = await local.returnDebit(lastStepAt(run, atMs));
    return done(run);
  }
  if ((await giveUpOpen(run, atMs)) === 'paid') await renewed(run, atMs, stepAt);
  run.snapshot = await local.endSubscription({ ...lastStepAt(run, atMs), to: 'revoked', reason: 'chargeback' });
  return done(run);
}
