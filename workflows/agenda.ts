import { exhaustedMs, graceEndsMs } from '../src/subscriptions/billing/dunning';
import { reminderAt } from '../src/subscriptions/billing/trials';
import { type Reminder, type Standing } from './messages';

/** What a subscription's life is about to do by itself, and when. A pure function of how it stands. */

export type Due = { atMs: number; summary: string } & (
  | { what: 'renew' | 'end' | 'pause' | 'resume' | 'retry' | 'hold' | 'expire' | 'finish' }
  | { what: 'remind'; reminder: Reminder }
);

const dayMs = 86_400_000;

/** The earliest; undefined when nothing comes by itself. */
export function nextDue(standing: Standing): Due | undefined {
  const [first, ...others] = duesOf(standing);
  return others.reduce((earliest, due) => (due && earliest && due.atMs < earliest.atMs ? due : earliest), first);
}

function duesOf(standing: Standing): Due[] {
  switch (standing.state) {
    case 'trialing':
      return [...trialReminder(standing), atPeriodEnd(standing)];
    case 'active':
      return [atPeriodEnd(standing)];
    case 'past_due':
      return [...retry(standing), ...reminders(standing), hold(standing), expire(standing)];
    case 'on_hold':
      return [...retry(standing), expire(standing)];
    case 'paused':
      return resumption(standing);
    case 'revoked':
      return [{ what: 'finish', atMs: standing.periodEndMs, summary: 'until then it may be given back' }];
    case 'canceled':
    case 'expired':
      return [];
  }
}

function atPeriodEnd({ state, autoRenew, pausesAtPeriodEnd, periodEndMs: atMs }: Standing): Due {
  const period = state === 'trialing' ? 'trial' : 'period';
  if (!autoRenew) return { what: 'end', atMs, summary: `${period} ends, canceled` };
  if (pausesAtPeriodEnd) return { what: 'pause', atMs, summary: 'period ends, then a pause' };
  return { what: 'renew', atMs, summary: `${period} ends, next charge` };
}

/** Also of one that ends for want of a card: its owner may still bring one. */
function trialReminder({ autoRenew, isCanceled, reminded, trial }: Standing): Due[] {
  const isWanted = autoRenew || isCanceled === false;
  if (!trial || !isWanted || reminded.includes('trial_ends')) return [];
  const atMs = reminderAt(new Date(trial.startMs), new Date(trial.endMs)).getTime();
  return [{ what: 'remind', reminder: 'trial_ends', atMs, summary: 'reminder of the trial’s end' }];
}

function retry({ dunning }: Standing): Due[] {
  if (dunning?.nextRetryMs === undefined) return [];
  return [{ what: 'retry', atMs: dunning.nextRetryMs, summary: 'next try to charge' }];
}

/** On the third day, and a day before access ends; not where grace is too short for one. */
function reminders({ dunning, reminded }: Standing): Due[] {
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

function hold({ dunning, periodEndMs }: Standing): Due {
  return { what: 'hold', atMs: dunning ? graceEndsMs(dunning) : periodEndMs, summary: 'grace ends' };
}

function expire({ dunning, periodEndMs }: Standing): Due {
  return { what: 'expire', atMs: dunning ? exhaustedMs(dunning) : periodEndMs, summary: 'retries end' };
}

function resumption({ resumesAtMs }: Standing): Due[] {
  return resumesAtMs === undefined ? [] : [{ what: 'resume', atMs: resumesAtMs, summary: 'pause ends' }];
}
