import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../bench/table';
import { type Service } from '../simulation/service';
import { type Attempt, Clients, type Purchase, type Shop } from './clients';
import { type Limit, type Mode } from './modes';

const calmMs = 5_000;
/** Purchases before the fault. They show how long a purchase takes on this machine. */
const earlierPurchases = 10;
const slowFactor = 3;
const slowestUsualMs = 2_000;
const recoversWithinMs = 180_000;

/** What clients see while the service runs with a fault. Times are in seconds. */
export interface Figures {
  mode: string;
  /** Failed requests by result, such as `503` and `no answer`. */
  failedChecks: Record<string, number>;
  failedPurchases: Record<string, number>;
  /** The longest time in which no access check succeeded, until the last one that was sent. */
  withoutCheck: number;
  /** From the first request of a purchase to the event that its payment is through. */
  medianPurchase: number;
  slowestPurchase: number;
  /** From the end of the fault to the last failed request, and to the last event of a purchase from the time before. */
  afterEnd: number;
  /** Purchases whose event did not arrive within three minutes. */
  lost: number;
  goal: { limit: Limit; atMost: number } | undefined;
}

/** Runs the service with a fault that lasts so long, unless it ends by itself, until it works as before. */
export async function measureMode(mode: Mode, service: Service, shop: Shop, seconds: number): Promise<Figures> {
  const clients = new Clients(service.addresses[0] ?? '', shop);
  try {
    const usualMs = await warmUp(clients);
    const beganAt = performance.now();
    const end = await mode.begin();
    if (end) await sleep(seconds * 1_000);
    await end?.();
    const endedAt = performance.now();
    await recovers(service, clients, { endedAt, usualMs });
    clients.rest();
    const giveUpAt = performance.now() + recoversWithinMs;
    while (clients.waiting().length > 0 && performance.now() < giveUpAt) await sleep(50);
    return figuresOf(mode, clients, { beganAt, endedAt });
  } finally {
    clients.stop();
  }
}

/** Returns the time after which a purchase counts as slow. */
async function warmUp(clients: Clients): Promise<number> {
  const giveUpAt = performance.now() + recoversWithinMs;
  for (; performance.now() < giveUpAt; await sleep(100)) {
    const waits = clients.purchases.flatMap((purchase) => waitOf(purchase) ?? []);
    if (waits.length >= earlierPurchases) return Math.max(slowestUsualMs, slowFactor * Math.max(...waits));
  }
  throw new Error('purchases do not succeed before the fault');
}

/** Waits until all parts run, no request has failed and no purchase has been slow for some seconds. */
async function recovers(
  service: Service,
  clients: Clients,
  { endedAt, usualMs }: { endedAt: number; usualMs: number },
): Promise<void> {
  let badAt = endedAt;
  for (const giveUpAt = endedAt + recoversWithinMs; performance.now() < giveUpAt; await sleep(100)) {
    const now = performance.now();
    const isSlow = clients.waiting().some(({ sentAt }) => now - sentAt > usualMs);
    badAt = isSlow || !service.isUp() ? now : Math.max(badAt, lastFailure(allAttempts(clients)));
    if (now - badAt > calmMs) return;
  }
}

type Load = Pick<Clients, 'checks' | 'purchases'>;

const allAttempts = ({ checks, purchases }: Load) => [...checks, ...purchases.flatMap(({ attempts }) => attempts)];
const failed = ({ result }: Attempt) => result !== 'ok';
const lastFailure = (attempts: readonly Attempt[]) =>
  Math.max(0, ...attempts.filter(failed).map(({ endedAt }) => endedAt));

/** Counts the requests that ended, and the purchases that had not opened, since the fault began. */
export function figuresOf(
  { name, goal }: Pick<Mode, 'name' | 'goal'>,
  load: Load,
  { beganAt, endedAt }: { beganAt: number; endedAt: number },
): Figures {
  const since = ({ endedAt: at }: Attempt) => at >= beganAt;
  const checks = load.checks.filter(since);
  const purchases = load.purchases.filter(({ openedAt }) => openedAt === undefined || openedAt >= beganAt);
  const waits = purchases.flatMap((purchase) => waitOf(purchase) ?? []);
  const earlier = purchases.filter(({ sentAt }) => sentAt < endedAt);
  const lastBad = Math.max(
    lastFailure([...checks, ...purchases.flatMap(({ attempts }) => attempts)]),
    ...earlier.map(({ openedAt = 0 }) => openedAt),
  );
  return {
    mode: name,
    goal,
    failedChecks: countResults(checks),
    failedPurchases: countResults(purchases.flatMap(({ attempts }) => attempts).filter(since)),
    withoutCheck: longestGap(beganAt, checks) / 1_000,
    medianPurchase: waits.length === 0 ? 0 : median(waits) / 1_000,
    slowestPurchase: Math.max(0, ...waits) / 1_000,
    afterEnd: Math.max(0, lastBad - endedAt) / 1_000,
    lost: purchases.length - waits.length,
  };
}

const waitOf = ({ sentAt, openedAt }: Purchase) => (openedAt === undefined ? undefined : openedAt - sentAt);

function countResults(attempts: readonly Attempt[]): Record<string, number> {
  const results = Map.groupBy(attempts.filter(failed), ({ result }) => result);
  return Object.fromEntries([...results].map(([result, all]) => [result, all.length]));
}

function longestGap(beganAt: number, attempts: readonly Attempt[]): number {
  const successes = attempts.filter((attempt) => !failed(attempt)).map(({ endedAt }) => endedAt);
  // The last attempt counts too: a service that stays away has no later success.
  const lastEnd = Math.max(beganAt, ...attempts.map(({ endedAt }) => endedAt));
  const ends = [beganAt, ...successes.sort((a, b) => a - b), lastEnd];
  return Math.max(0, ...ends.slice(1).map((end, index) => end - (ends[index] ?? end)));
}
