import { proxyLocalActivities } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { refusalOf } from '../src/billing/guards';
import { takeDebitBack } from './debits';
import { idOf, type Message } from './inbox';
import { chargeNow, giveUpOpen, renewed, resumePaused, retry, retryWithCard, totalHasChanged } from './periodCharges';
import { end } from './steps';
import { done, hasEnded, lastStepAt, stepAt, type SubscriptionRun } from './subscriptionRun';
import { type Change, type ChangeAnswer, type ChangeRequest } from './messages';
import { quick } from './policies';

const local = proxyLocalActivities<Activities>(quick);

/** Carries out a request or a notice, if the state still allows it at that time. */
export async function act(run: SubscriptionRun, message: Message, atMs: number): Promise<ChangeAnswer> {
  run.messageId = idOf(message);
  try {
    return await actOn(run, message, atMs);
  } finally {
    delete run.messageId;
  }
}

function actOn(run: SubscriptionRun, message: Message, atMs: number): ChangeAnswer | Promise<ChangeAnswer> {
  const { snapshot } = run;
  const isOver = hasEnded(run);
  switch (message.kind) {
    case 'erased':
      run.isErased = true;
      return isOver ? done(run) : end(run, 'canceled', 'account erased', atMs, { isSilent: true });
    case 'revoked':
      return isOver ? done(run) : end(run, 'revoked', message.reason, atMs);
    case 'restored':
      return snapshot.state === 'revoked' && atMs < snapshot.periodEndMs ? restore(run, atMs) : done(run);
    case 'returned':
      return isOver ? done(run) : takeDebitBack(run, message.cycle, atMs);
    case 'request':
      return changeFor(run, message.request, atMs);
  }
}

/** The revocation gave up a charge that waited for the provider. The next attempt replaces it, and was never sent. */
async function restore(run: SubscriptionRun, atMs: number): Promise<ChangeAnswer> {
  run.snapshot = await local.restoreSubscription(lastStepAt(run, atMs));
  const { state, deferral, cycle, attempt } = run.snapshot;
  if (deferral && state !== 'revoked') run.unsent = { cycle, attempt };
  return done(run);
}

/** Steps that result from the request are recorded under its actor. */
async function changeFor(run: SubscriptionRun, request: ChangeRequest, atMs: number): Promise<ChangeAnswer> {
  if (request.actor) run.actor = request.actor;
  try {
    return await change(run, request, atMs);
  } finally {
    delete run.actor;
  }
}

async function change(run: SubscriptionRun, request: ChangeRequest, atMs: number): Promise<ChangeAnswer> {
  const refusal = refusalOf(request, run.snapshot);
  if (refusal !== undefined) return { done: false, why: 'state', explain: refusal };
  switch (request.kind) {
    case 'cancel':
      return cancel(run, request, atMs);
    case 'resume':
      return resume(run, atMs);
    case 'pause':
      run.snapshot = await local.planPause({
        ...lastStepAt(run, atMs),
        pauses: true,
        ...(request.resumesAtMs !== undefined && { resumesAtMs: request.resumesAtMs }),
      });
      return done(run);
    case 'extend':
      return extend(run, request, atMs);
    case 'retry':
      return retry(run, atMs);
    case 'switch':
      return switchPlan(run, request, atMs);
    case 'useCard':
      return useCard(run, request, atMs);
    case 'takeOffer':
      return takeOffer(run, request.presentationId, atMs);
    case 'giveUp':
      return done(run);
  }
}

/**
 * A paid period continues to its end. An unpaid subscription ends immediately, unless its payer has approved the
 * payment in the meantime.
 */
async function cancel(run: SubscriptionRun, change: Extract<Change, { kind: 'cancel' }>, atMs: number) {
  const { at, reason, cause = 'canceled' } = change;
  const words = reason === '' ? {} : { cancelReason: reason };
  const { state, deferral } = run.snapshot;
  const isPaid = (state === 'trialing' || state === 'active') && !deferral;
  if (isPaid && at === 'now') return end(run, 'canceled', cause, atMs, words);
  if (!isPaid) {
    if ((await giveUpOpen(run, atMs)) !== 'paid') return end(run, 'canceled', cause, atMs, words);
    await renewed(run, atMs, stepAt);
  }
  run.snapshot = await local.turnRenewal({ ...lastStepAt(run, atMs), autoRenew: false, reason });
  return done(run);
}

async function resume(run: SubscriptionRun, atMs: number): Promise<ChangeAnswer> {
  if (run.snapshot.state === 'paused') return resumePaused(run, atMs);
  run.snapshot = run.snapshot.pausesAtPeriodEnd
    ? await local.planPause({ ...lastStepAt(run, atMs), pauses: false })
    : await local.turnRenewal({ ...lastStepAt(run, atMs), autoRenew: true, reason: '' });
  return done(run);
}

async function extend(
  run: SubscriptionRun,
  request: ChangeRequest & { kind: 'extend' },
  atMs: number,
): Promise<ChangeAnswer> {
  const { days, id: changeId } = request;
  const extended = await local.extendPeriod({ ...stepAt(run, atMs), days, changeId });
  if ('refused' in extended) return { done: false, why: 'state', explain: extended.refused };
  run.snapshot = extended;
  return done(run);
}

/** With mode `now`, the plan changes only if the payment succeeds. */
async function switchPlan(
  run: SubscriptionRun,
  request: Extract<Change, { kind: 'switch' }>,
  atMs: number,
): Promise<ChangeAnswer> {
  const { accessFeeId, mode, maxMinor } = request;
  const limit = maxMinor !== undefined && { maxMinor };
  const wanted = { ...lastStepAt(run, atMs), accessFeeId, ...(mode && { mode }), ...limit };
  const { amountMinor, isLater, agreed, isDebit, dearerMinor } = await local.priceSwitch(wanted);
  if (dearerMinor !== undefined)
    return { done: false, why: 'price', explain: totalHasChanged, totalMinor: dearerMinor };
  if (isDebit && !isLater && amountMinor > 0) return { done: false, why: 'state', explain: debitTakesDays };
  if (!isLater && amountMinor > 0) {
    const charge = {
      cycle: run.snapshot.cycle + 1,
      attempt: 1,
      amountMinor,
      atMs,
      ...limit,
      ...(agreed && { agreed }),
    };
    const refusal = await chargeNow(run, charge);
    if (refusal) return refusal;
  }
  run.snapshot = await local.switchPlan({ ...wanted, ...lastStepAt(run, atMs), ...(agreed && { agreed }) });
  return done(run);
}

/** An offer that was accepted, refused or ended before this request changes nothing. */
async function takeOffer(run: SubscriptionRun, presentationId: number, atMs: number): Promise<ChangeAnswer> {
  const taken = await local.takeOffer({ ...lastStepAt(run, atMs), presentationId });
  if ('refused' in taken) return { done: false, why: 'state', explain: taken.refused };
  run.snapshot = taken.snapshot;
  return done(run);
}

const debitTakesDays =
  'A direct debit takes days. The plan can change at the end of the period (mode next_period), or with a card.';

async function useCard(
  run: SubscriptionRun,
  { cardId, id: changeId }: ChangeRequest & { kind: 'useCard' },
  atMs: number,
): Promise<ChangeAnswer> {
  const changed = await local.changeCard({ ...stepAt(run, atMs), cardId, changeId });
  if ('refused' in changed) return { done: false, why: 'state', explain: changed.refused };
  run.snapshot = changed;
  // The history contains the request now, and the steps of the charge must not end as repeated ones.
  delete run.messageId;
  const { dunning, deferral, processing } = run.snapshot;
  return (dunning || deferral) && !processing ? retryWithCard(run, atMs) : done(run);
}
