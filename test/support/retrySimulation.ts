import { afterRetry, beginDunning, defaultPlan, exhaustedMs, type Dunning } from '../../src/billing/dunning';
import { atBestHour } from '../../src/billing/retryTimes';

/**
 * Failed renewals of imagined payers, with the retries of the service. The assumptions are in docs/payments.md. They follow
 * what banks and providers publish about declines; they are not measured.
 */

const hourMs = 3_600_000;
const firstMs = Date.UTC(2026, 0, 1);

/** Mulberry32: the same numbers in each run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Payer {
  reason: 'insufficient_funds' | 'declined';
  /** The day of the month of the salary; 0: every Friday. */
  payday: number;
  /** For how many days the salary covers the price. */
  coveredDays: number;
  /** Whether the bank ever accepts the charge. */
  accepts: boolean;
}

const paydays = [1, 1, 1, 15, 25, 0];

function payerFrom(random: () => number): Payer {
  return {
    reason: random() < 0.55 ? 'insufficient_funds' : 'declined',
    payday: paydays[Math.floor(random() * paydays.length)] ?? 1,
    coveredDays: 2 + Math.floor(random() * 14),
    accepts: random() < 0.6,
  };
}

/** The share of charges that succeed at a time. */
function chanceOf({ reason, payday, coveredDays, accepts }: Payer, atMs: number): number {
  const at = new Date(atMs);
  const hour = at.getUTCHours();
  if (reason === 'declined') {
    const isWorking = hour >= 9 && hour < 17 && at.getUTCDay() >= 1 && at.getUTCDay() <= 5;
    return accepts ? (isWorking ? 0.45 : 0.3) : 0.02;
  }
  const since = daysSince(at, payday);
  if (since >= coveredDays) return 0.05;
  const left = 1 - since / coveredDays;
  return (0.35 + 0.5 * left) * (hour >= 4 && hour < 9 ? 1 : 0.85);
}

function daysSince(at: Date, payday: number): number {
  if (payday === 0) return (at.getUTCDay() + 2) % 7;
  const day = at.getUTCDate();
  if (day >= payday) return day - payday;
  return day + new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 0)).getUTCDate() - payday;
}

export interface Recovery {
  /** In percent of the failed renewals. */
  recovered: number;
  /** The mean number of retries. */
  retries: number;
}

/** `payers` failed renewals, spread over a year. */
export function simulate(timing: 'fixed' | 'best', payers = 20_000): Recovery {
  const random = numbersFrom(1);
  let [recovered, retries] = [0, 0];
  for (let index = 0; index < payers; index++) {
    const payer = payerFrom(random);
    const failedMs = firstMs + Math.floor(random() * 365 * 24) * hourMs;
    const luck = numbersFrom(index);
    const timed = (dunning: Dunning) => (timing === 'best' ? atBestHour(dunning, payer) : dunning);
    let dunning = timed(beginDunning(defaultPlan, failedMs, 'soft'));
    while (dunning.nextRetryMs !== undefined && dunning.nextRetryMs <= exhaustedMs(dunning)) {
      const atMs = dunning.nextRetryMs;
      retries += 1;
      if (luck() < chanceOf(payer, atMs)) {
        recovered += 1;
        break;
      }
      dunning = timed(afterRetry(dunning, atMs, 'soft'));
    }
  }
  return { recovered: round((100 * recovered) / payers), retries: round(retries / payers) };
}

const round = (value: number) => Math.round(value * 100) / 100;
