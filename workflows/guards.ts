import { notBegunYet, type Change, type Standing } from './messages';

/** Why a change is not possible as things stand (subscriptions 2); undefined when it is. `standing`: none before the first payment. */
export function refusalOf(change: Change, standing: Standing | undefined): string | undefined {
  if (change.kind === 'giveUp') return standing === undefined ? undefined : 'The subscription has begun.';
  if (standing === undefined) return notBegunYet;
  const { state, autoRenew, pausesAtPeriodEnd } = standing;
  const isRunning = state === 'trialing' || state === 'active';
  const isUnpaid = state === 'past_due' || state === 'on_hold';
  if (!isRunning && !isUnpaid && state !== 'paused') return `The subscription is ${state}.`;
  switch (change.kind) {
    case 'cancel':
      // A trial without a card does not renew, and is canceled all the same: a card that comes later must not be charged.
      return isRunning && !autoRenew && standing.isCanceled !== false && change.at === 'period_end'
        ? 'The subscription is canceled already.'
        : undefined;
    case 'resume':
      if (state === 'paused' || (isRunning && (!autoRenew || pausesAtPeriodEnd))) return undefined;
      return 'There is nothing to resume: the subscription is neither canceled nor paused.';
    case 'pause':
      if (state !== 'active') return `A subscription that is ${state} cannot be paused.`;
      if (!autoRenew) return 'A subscription that is canceled cannot be paused.';
      return pausesAtPeriodEnd ? 'The subscription is going to be paused already.' : undefined;
    case 'retry':
      return isUnpaid ? undefined : 'There is no payment to retry.';
    case 'switch':
      if (!isRunning) return `The plan of a subscription that is ${state} cannot be changed.`;
      return autoRenew ? undefined : 'The plan of a canceled subscription cannot be changed.';
    case 'useCard':
      return undefined;
  }
}
