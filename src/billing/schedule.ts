import { exhaustedMs, graceEndsMs } from './dunning';
import { reminderAt } from './trials';
import { type Reminder, type SubscriptionSnapshot } from '../../workflows/messages';

/** The next timed step of a subscription, computed from its state alone. */

export type Timer = { atMs: number; summary: string } & (
  | { what: 'collect' | 'renew' | 'end' | 'pause' | 'resume' | 'retry' | 'hold' | 'expire' | 'finish' | 'look' }
  | { what: 'remind'; reminder: Reminder }
);

const dayMs = 86_400_000;
/** The time that a charge waits for a provider that is unavailable or misconfigured. */
const deferralLimitMs = 90 * dayMs;

/** The earliest timed step; undefined if there is none. */
export function nextTimer(snapshot: SubscriptionSnapshot): Timer | undefined {
  const [first, ...others] = duesOf(snapshot);
  return first && others.reduce((earliest, due) => (due.atMs < earliest.atMs ? due : earliest), first);
}

function duesOf(snapshot: SubscriptionSnapshot): Timer[] {
  const { collectsAtMs: atMs } = snapshot;
  // The period has begun and the outcome of its charge is unknown. The charge comes before any other step.
  if (atMs !== undefined) return [{ what: 'collect', atMs, summary: 'charge for the current period' }];
  // No other step is due before the bank has decided. If the period ends in the meantime, the next period follows.
  if (snapshot.processing)
    return [{ what: 'look', atMs: snapshot.processing.nextLookMs, summary: 'ask about the direct debit' }];
  switch (snapshot.state) {
    case 'trialing':
      return [...trialReminder(snapshot), atPeriodEnd(snapshot)];
    case 'active':
      return snapshot.deferral ? waiting(snapshot, snapshot.deferral) : [atPeriodEnd(snapshot)];
    case 'past_due':
      if (snapshot.deferral) return [...waiting(snapshot, snapshot.deferral), ...reminders(snapshot)];
      return [...retry(snapshot), ...reminders(snapshot), hold(snapshot), expire(snapshot)];
    case 'on_hold':
      return snapshot.deferral ? waiting(snapshot, snapshot.deferral) : [...retry(snapshot), expire(snapshot)];
    case 'paused':
      return resumption(snapshot);
    case 'revoked':
      return [
        { what: 'finish', atMs: snapshot.periodEndMs, summary: 'end of the time in which access can be restored' },
      ];
    case 'canceled':
    case 'expired':
      return [];
  }
}

/**
 * The retries and the end of dunning do not apply, because the provider and not the payer is the reason for the open
 * charge.
 */
function waiting(
  { state }: SubscriptionSnapshot,
  { sinceMs, nextTryMs, graceEndsMs }: NonNullable<SubscriptionSnapshot['deferral']>,
): Timer[] {
  return [
    { what: 'retry', atMs: nextTryMs, summary: 'next charge attempt, after a fault at the provider' },
    ...(state === 'on_hold' ? [] : [{ what: 'hold' as const, atMs: graceEndsMs, summary: 'grace ends' }]),
    { what: 'expire', atMs: sinceMs + deferralLimitMs, summary: 'end of the wait for the provider' },
  ];
}

function atPeriodEnd({ state, autoRenew, pausesAtPeriodEnd, periodEndMs: atMs }: SubscriptionSnapshot): Timer {
  const period = state === 'trialing' ? 'trial' : 'period';
  if (!autoRenew) return { what: 'end', atMs, summary: `${period} ends, no renewal` };
  if (pausesAtPeriodEnd) return { what: 'pause', atMs, summary: 'period ends, pause begins' };
  return { what: 'renew', atMs, summary: `${period} ends, next charge` };
}

/** The end of a trial without a card is also announced, because the customer can still add a card. */
function trialReminder({ autoRenew, isCanceled, reminded, trial }: SubscriptionSnapshot): Timer[] {
  const isWanted = autoRenew || isCanceled === false;
  if (!trial || !isWanted || reminded.includes('trial_ends')) return [];
  const atMs = reminderAt(new Date(trial.startMs), new Date(trial.endMs)).getTime();
  return [{ what: 'remind', reminder: 'trial_ends', atMs, summary: 'mail: trial_ends' }];
}

function retry({ dunning }: SubscriptionSnapshot): Timer[] {
  if (dunning?.nextRetryMs === undefined) return [];
  return [{ what: 'retry', atMs: dunning.nextRetryMs, summary: 'next charge attempt' }];
}

/** On the third day and one day before access ends. A reminder outside the grace period is not sent. */
function reminders({ dunning, reminded }: SubscriptionSnapshot): Timer[] {
  if (!dunning) return [];
  const endsMs = graceEndsMs(dunning);
  const planned: { reminder: Reminder; atMs: number }[] = [
    { reminder: 'payment_reminder', atMs: dunning.failedMs + 3 * dayMs },
    { reminder: 'access_ends', atMs: endsMs - dayMs },
  ];
  return planned
    .filter(({ reminder, atMs }) => !reminded.includes(reminder) && atMs > dunning.failedMs && atMs < endsMs)
    .map((mail) => ({ what: 'remind', ...mail, summary: `mail: ${mail.reminder}` }));
}

function hold({ dunning, periodEndMs }: SubscriptionSnapshot): Timer {
  return { what: 'hold', atMs: dunning ? graceEndsMs(dunning) : periodEndMs, summary: 'grace ends' };
}

function expire({ dunning, periodEndMs }: SubscriptionSnapshot): Timer {
  return { what: 'expire', atMs: dunning ? exhaustedMs(dunning) : periodEndMs, summary: 'retries end' };
}

function resumption({ resumesAtMs }: SubscriptionSnapshot): Timer[] {
  return resumesAtMs === undefined ? [] : [{ what: 'resume', atMs: resumesAtMs, summary: 'pause ends' }];
}
