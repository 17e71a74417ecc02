import { proxyLocalActivities } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { nextTimer } from '../src/billing/schedule';
import { inBackground } from './background';
import {
  chargeAtMostOnce,
  chargeDeferred,
  chargeOnce,
  chargeOrFail,
  giveUp,
  lookUp,
  sendNextCharge,
  waitForAnswer,
  withdraw,
  type PendingAuthentication,
  type SendOptions,
  type SettledOutcome,
} from './charging';
import { givenUpReasons, type ChangeAnswer, type ChargeOutcome, type CycleCharge } from './messages';
import { show, showFailure } from './operator';
import {
  deferralFirstMs,
  deferralMaxMs,
  lookUpFirstMs,
  lookUpMaxMs,
  presentPayerLimitMs,
  quick,
  unsentLimitMs,
  unsentRenewalLimitMs,
} from './policies';
import {
  done,
  hasEnded,
  hasPendingMessages,
  isPayerPresent,
  lastStepAt,
  stepAt,
  type SubscriptionRun,
} from './subscriptionRun';

const local = proxyLocalActivities<Activities>(quick);

/**
 * Settles a charge that the row does not record, because the run that made it was lost. A charge for the open period is
 * completed. A charge for a change is given up, and refunded if it was paid, because its caller no longer waits. So is any
 * charge of a subscription that has ended: another worker may have charged before the end was recorded.
 */
export async function finishCharge(run: SubscriptionRun, charge: CycleCharge): Promise<void> {
  const { cycle, attempt, atMs = run.clock.now() } = charge;
  if (cycle === run.snapshot.cycle && !hasEnded(run)) return void (await collect(run, attempt, atMs));
  await giveUp(charge);
  const named = hasEnded(run) && { charge: { cycle, attempt } };
  run.snapshot = await local.refuseChange({ ...stepAt(run, atMs), ...interrupted, ...named });
}

const interrupted = { reason: 'interrupted', message: 'The change was interrupted.' };

/** Continues a charge that an earlier run began. */
export async function continueCharge(run: SubscriptionRun, atMs: number): Promise<ChangeAnswer> {
  return run.snapshot.state === 'paused' ? payResumption(run, atMs) : collect(run, run.snapshot.attempt, atMs);
}

/**
 * Begins the next period, charges for it and records the outcome. Changes that were requested before, and that the run has
 * not received yet, come first.
 */
export async function collectNextPeriod(run: SubscriptionRun, atMs: number, dueAtMs: number): Promise<void> {
  run.answersSeen = run.answers.count;
  const charged = await sendNextCharge({ ...stepAt(run, atMs), dueAtMs });
  if ('requests' in charged) return run.inbox.putStored(charged.requests);
  run.snapshot = charged.snapshot;
  await collect(run, run.snapshot.attempt, atMs, charged.outcome);
}

/** Charges for the open period and records the outcome. `sent`: the outcome of the first request, if it was already sent. */
export async function collect(
  run: SubscriptionRun,
  attempt: number,
  atMs: number,
  sent?: ChargeOutcome,
): Promise<ChangeAnswer> {
  const { subscriptionId, snapshot: snapshot } = run;
  const { cycle, dueMinor: amountMinor, version } = snapshot;
  if (!sent) run.answersSeen = run.answers.count;
  delete run.lookUpWaitMs;
  const isUnsent = isSurelyUnsent(run, attempt);
  delete run.unsent;
  const charge: CycleCharge = {
    subscriptionId,
    version,
    cycle,
    attempt,
    amountMinor,
    atMs,
    ...(isUnsent && { isUnsent }),
    ...(isPayerPresent(run) && { isOnSession: true }),
  };
  const slot = run.doing === 'request' ? {} : inBackground();
  const make = snapshot.deferral ? chargeDeferred : chargeOnce;
  const outcome = await make(charge, { ...sendOptionsOf(run, unsentRenewalLimitMs), slot, sent });
  if (outcome.outcome === 'unsent' || outcome.outcome === 'unknown')
    return defer(run, attempt, atMs, outcome.outcome === 'unsent');
  if (outcome.outcome === 'paid') return renewed(run, atMs);
  if (outcome.outcome === 'processing') return awaitBank(run, attempt, atMs);
  const givenUp = snapshot.deferral && outcome.outcome === 'declined' && givenUpReasons.get(outcome.reason);
  if (givenUp) return replaceGivenUp(run, givenUp, attempt, atMs);
  const needsAuthentication = outcome.outcome === 'requires_action';
  const failure = needsAuthentication ? authenticationNeeded : { reason: outcome.reason, message: outcome.message };
  const decline = needsAuthentication ? 'soft' : (outcome.decline ?? 'soft');
  if (needsAuthentication) run.pendingCharge = charge;
  run.snapshot = await local.failRenewal({ ...stepAt(run, atMs), attempt, ...failure, decline });
  showFailure(run.snapshot.state, failure);
  return { done: false, why: 'payment', explain: failure.message };
}

/**
 * Replaces a charge that a lost run gave up, for a message that the row does not record. If the provider may have the charge,
 * the next attempt comes later, so that the reconciliation can find a payment first.
 */
const replaceGivenUp = (run: SubscriptionRun, why: 'unsent' | 'doubtful', attempt: number, atMs: number) =>
  why === 'unsent' ? collect(run, attempt + 1, atMs) : defer(run, attempt + 1, atMs, false);

/** The bank decides on the period's direct debit, which takes days. */
async function awaitBank(run: SubscriptionRun, attempt: number, atMs: number): Promise<ChangeAnswer> {
  run.snapshot = await local.awaitDebit({ ...lastStepAt(run, atMs), attempt });
  return { done: true, state: run.snapshot.state, isPending: true };
}

const sendOptionsOf = ({ inbox }: SubscriptionRun, limitMs: number): SendOptions => ({
  limitMs,
  isWithdrawn: inbox.isCanceled,
});

const isSurelyUnsent = ({ unsent, snapshot: { cycle } }: SubscriptionRun, attempt: number): boolean =>
  unsent?.cycle === cycle && unsent.attempt === attempt;

/**
 * Records that the charge is retried later. The run processes messages in the meantime. After a jump of the clock,
 * missed attempts are not repeated. `isUnsent`: the provider has confirmed that nothing was sent.
 */
async function defer(run: SubscriptionRun, attempt: number, atMs: number, isUnsent: boolean): Promise<ChangeAnswer> {
  const tries = run.snapshot.deferral?.tries ?? 0;
  const waitMs = Math.min(deferralFirstMs * 2 ** Math.min(tries, 10), deferralMaxMs);
  const nextTryMs = Math.max(atMs, run.clock.now()) + waitMs;
  run.snapshot = await local.deferRenewal({ ...stepAt(run, atMs), attempt, nextTryMs });
  if (isUnsent) run.unsent = { cycle: run.snapshot.cycle, attempt };
  return { done: false, why: 'payment', explain: isUnsent ? providerAway : providerSilent };
}

const providerAway = 'The payment service is not available. It is not your card, and nothing was charged yet.';
const providerSilent = 'The payment service does not answer. It is not your card, and you do not pay twice.';

const authenticationNeeded = {
  reason: 'authentication_required',
  message: 'Your bank wants you to confirm the payment.',
};

/** Charges for the open period once more, after it gives up a pending authentication. */
export async function retry(run: SubscriptionRun, atMs: number): Promise<ChangeAnswer> {
  if ((await giveUpPendingCharge(run, atMs)) === 'paid') return renewed(run, atMs);
  const { attempt, deferral } = run.snapshot;
  return collect(run, deferral ? attempt : attempt + 1, atMs);
}

/** Charges for the open period with a new card, after it gives up an open charge of the previous card. */
export async function retryWithCard(run: SubscriptionRun, atMs: number): Promise<ChangeAnswer> {
  if ((await giveUpOpen(run, atMs)) === 'paid') return renewed(run, atMs);
  return collect(run, run.snapshot.attempt + 1, atMs);
}

/** Records that the period is paid. `step` builds the input: `stepAt` if the message has further steps. */
export async function renewed(run: SubscriptionRun, atMs: number, step = lastStepAt): Promise<ChangeAnswer> {
  delete run.pendingCharge;
  run.snapshot = await local.renewSubscription(step(run, atMs));
  return done(run);
}

/** Looks up the open period's charge, because its payer has answered an authentication. */
export async function lookUpAnswered(run: SubscriptionRun, atMs: number): Promise<void> {
  if (!run.pendingCharge) return;
  run.answersSeen = run.answers.count;
  const { outcome } = await lookUp({ ...run.pendingCharge, atMs });
  if (outcome === 'unknown') return lookUpLater(run);
  delete run.lookUpWaitMs;
  if (outcome === 'paid') await renewed(run, atMs);
  else if (outcome === 'declined') delete run.pendingCharge;
}

/** Looks up the charge again because the provider did not know its outcome. The wait doubles each time. */
async function lookUpLater(run: SubscriptionRun): Promise<void> {
  const { clock } = run;
  run.lookUpWaitMs = Math.min(2 * (run.lookUpWaitMs ?? lookUpFirstMs / 2), lookUpMaxMs);
  const dueMs = Math.min(nextTimer(run.snapshot)?.atMs ?? Infinity, clock.now() + run.lookUpWaitMs);
  await clock.waitUntil(dueMs, () => hasPendingMessages(run), 'before the provider is asked again');
  // Process the same answer again.
  run.answersSeen -= 1;
}

/** Ends a pause if the new period is paid. */
export async function resumePaused(run: SubscriptionRun, atMs: number): Promise<ChangeAnswer> {
  run.snapshot = await local.priceResumption(stepAt(run, atMs));
  return payResumption(run, atMs);
}

async function payResumption(run: SubscriptionRun, atMs: number): Promise<ChangeAnswer> {
  const { cycle, attempt, dueMinor } = run.snapshot;
  const refusal = await chargeNow(run, { cycle, attempt, amountMinor: dueMinor, atMs });
  if (refusal) return refusal;
  return renewed(run, atMs);
}

/**
 * Makes a charge that a customer waits for. If it is not paid, nothing changes and the refusal is returned. Only the
 * subscriber can authenticate it, within some minutes.
 */
export async function chargeNow(
  run: SubscriptionRun,
  charge: Pick<CycleCharge, 'cycle' | 'attempt' | 'agreed' | 'maxMinor'> & { amountMinor: number; atMs: number },
): Promise<ChangeAnswer | undefined> {
  const { subscriptionId, snapshot: snapshot } = run;
  const isPresent = isPayerPresent(run);
  const by = isPresent ? { isOnSession: true as const } : { mustSettle: true as const };
  const named: CycleCharge = { subscriptionId, version: snapshot.version, ...charge, ...by };
  let outcome = await chargeOrFail(named, sendOptionsOf(run, unsentLimitMs));
  if (outcome.outcome === 'requires_action')
    outcome = isPresent ? await waitForPayer(run, named, outcome) : await giveUp(named);
  if (outcome.outcome === 'processing' && charge.cycle === snapshot.cycle)
    return awaitBank(run, charge.attempt, charge.atMs);
  // A change that must be paid immediately does not wait for a bank.
  if (outcome.outcome === 'processing') outcome = await giveUp(named);
  if (outcome.outcome === 'paid') return undefined;
  const { reason, message, dearerMinor: totalMinor } = outcome;
  run.snapshot = await local.refuseChange({ ...stepAt(run, charge.atMs), reason, message });
  if (totalMinor !== undefined) return { done: false, why: 'price', explain: totalHasChanged, totalMinor };
  return { done: false, why: 'payment', explain: message };
}

export const totalHasChanged = 'The total has changed.';

/** Another message ends the wait, so that the first attempt does not block a payer who starts again. */
function waitForPayer(
  { answers, clock, inbox, snapshot }: SubscriptionRun,
  charge: CycleCharge,
  pending: PendingAuthentication,
): Promise<SettledOutcome> {
  show(snapshot.state, '### Waiting for the payer\nThe charge of a change needs an authentication.');
  return waitForAnswer(charge, pending, answers, {
    now: () => clock.now(),
    moves: () => clock.moves,
    isGivenUp: inbox.hasNext,
    limitMs: presentPayerLimitMs,
  });
}

/**
 * Gives up the open period's charge if it waits for its payer or for the provider. The provider is asked first, unless it has
 * confirmed to this run that nothing was sent. If it does not answer, other messages do not wait for a day: almost always
 * nothing was sent, and the reconciliation refunds a charge that was paid.
 */
export async function giveUpOpen(run: SubscriptionRun, atMs: number): Promise<'paid' | 'declined' | undefined> {
  const { cycle, attempt, dueMinor: amountMinor, deferral, processing, collectsAtMs } = run.snapshot;
  const charge = { subscriptionId: run.subscriptionId, cycle, attempt, amountMinor, atMs };
  // A lost run may have sent the charge of a period that has begun.
  if (processing || collectsAtMs !== undefined) return (await giveUp(charge)).outcome;
  if (!deferral) return giveUpPendingCharge(run, atMs);
  const isUnsent = isSurelyUnsent(run, attempt);
  const { outcome } = isUnsent ? await withdraw(charge, 'withdrawn') : await giveUp(charge, unsentLimitMs);
  return outcome;
}

/** Charges the customer's debt before the end. If the charge fails, the debt remains. */
export async function collectDebt(run: SubscriptionRun, atMs: number): Promise<void> {
  const { subscriptionId, snapshot } = run;
  if (!(await local.owesDebt(subscriptionId))) return;
  await chargeAtMostOnce({
    subscriptionId,
    version: snapshot.version,
    cycle: snapshot.cycle + 1,
    attempt: 1,
    amountMinor: 0,
    atMs,
    mustSettle: true,
  });
}

/** Gives up the charge that waits for its payer. Undefined if there is none. */
export async function giveUpPendingCharge(
  run: SubscriptionRun,
  atMs: number,
): Promise<'paid' | 'declined' | undefined> {
  if (!run.pendingCharge) return undefined;
  const { outcome } = await giveUp({ ...run.pendingCharge, atMs });
  delete run.pendingCharge;
  return outcome;
}
