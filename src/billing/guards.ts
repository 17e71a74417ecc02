import { type Change, type SubscriptionSnapshot } from '../../workflows/messages';

/** The changes that the state of a subscription allows. */

/** The refusal of every change except `giveUp` before the first period has begun. */
export const notBegunYet = 'The subscription has not begun yet.';

/**
 * The reason why the current state does not allow a change. Undefined if it does. `snapshot` is undefined before the
 * first period has begun.
 */
export function refusalOf(change: Change, snapshot: SubscriptionSnapshot | undefined): string | undefined {
  if (change.kind === 'giveUp') return snapshot === undefined ? undefined : 'The subscription has begun.';
  if (snapshot === undefined) return notBegunYet;
  const { state, autoRenew, pausesAtPeriodEnd } = snapshot;
  const isWaiting = snapshot.deferral !== undefined;
  const isProcessing = snapshot.processing !== undefined;
  // A revoked subscription keeps the wait for its provider, because it may be restored.
  const hasPeriod = state === 'trialing' || state === 'active';
  const isRunning = hasPeriod && !isWaiting;
  const isUnpaid = state === 'past_due' || state === 'on_hold' || (hasPeriod && isWaiting);
  if (!isRunning && !isUnpaid && state !== 'paused') return `The subscription is ${state}.`;
  switch (change.kind) {
    case 'cancel':
      // A trial without a card does not renew, but can still be canceled, so that a card that is added later is not
      // charged.
      return isRunning && !autoRenew && snapshot.isCanceled !== false && change.at === 'period_end'
        ? 'The subscription is canceled already.'
        : undefined;
    case 'resume':
      if (state === 'paused' && isProcessing) return 'The payment is still being processed by the bank.';
      if (state === 'paused' || (isRunning && (!autoRenew || pausesAtPeriodEnd))) return undefined;
      return 'There is nothing to resume: the subscription is neither canceled nor paused.';
    case 'pause':
      if (isWaiting || isProcessing) return 'A subscription cannot be paused while its payment is open.';
      if (state !== 'active') return `A subscription that is ${state} cannot be paused.`;
      if (!autoRenew) return 'A subscription that is canceled cannot be paused.';
      return pausesAtPeriodEnd ? 'The subscription is going to be paused already.' : undefined;
    case 'extend':
      if (isWaiting || isProcessing) return 'A subscription cannot be extended while its payment is open.';
      return isRunning ? undefined : `A subscription that is ${state} cannot be extended.`;
    case 'takeOffer':
      if (isWaiting || isProcessing) return 'An offer cannot be accepted while a payment is open.';
      if (state !== 'active') return `A subscription that is ${state} has no offer.`;
      return autoRenew && !pausesAtPeriodEnd ? undefined : 'A subscription that does not renew has no offer.';
    case 'retry':
      if (isProcessing) return 'The payment is still being processed by the bank.';
      return isUnpaid ? undefined : 'There is no payment to retry.';
    case 'switch':
      if (isWaiting || isProcessing) return 'The plan cannot be changed while a payment is open.';
      if (!isRunning) return `The plan of a subscription that is ${state} cannot be changed.`;
      return autoRenew ? undefined : 'The plan of a canceled subscription cannot be changed.';
    case 'useCard':
      return undefined;
  }
}
