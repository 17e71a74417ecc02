import { type Change } from '../../workflows/messages';
import { type SwitchMode } from '../../workflows/messages/switches';
import { type PeriodLength } from '../../src/billing/periods';
import { type Fault, type PayerMood } from './simulatedProvider';
import { type Plan } from './simulatedRow';
import { type Random } from './random';

/** What happens in a lifetime, drawn from its seed before it begins. Times are real time, unless a name says otherwise. */
export interface Scenario {
  startMs: number;
  endMs: number;
  plans: readonly Plan[];
  setupFeeMinor: number;
  currency: 'EUR' | 'JPY' | 'KWD';
  graceDays: number;
  retryDays: readonly number[];
  hasCard: boolean;
  isDebit: boolean;
  /** A first purchase by direct debit opens before its money arrives. */
  opensAccess: boolean;
  /** The merchant moves a test clock, and nearly no real time passes. */
  hasTestClock: boolean;
  moods: { fromMs: number; mood: PayerMood }[];
  providerFaults: Fault[];
  /** While no worker runs, activities wait. */
  workerOutages: { fromMs: number; toMs: number }[];
  acts: Act[];
}

export type Act = { atMs: number } & (
  | { what: 'request'; change: Change; isPromised: boolean; isMerchant: boolean; repeats: number }
  | { what: 'revoke' | 'restore' | 'erase' | 'return' | 'lose' }
  | { what: 'advance'; byMs: number }
);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** Ends of months, a leap day, and the changes to and from summer time in Europe and America. */
const specialDays = [
  '2024-01-31',
  '2024-02-29',
  '2024-03-10',
  '2024-03-31',
  '2024-10-27',
  '2024-11-03',
  '2025-01-29',
  '2025-08-31',
  '2025-12-31',
  '2027-02-28',
] as const;

const lengths: readonly [PeriodLength, ...PeriodLength[]] = [
  { quantity: 1, period: 'month' },
  { quantity: 1, period: 'month' },
  { quantity: 3, period: 'month' },
  { quantity: 1, period: 'year' },
  { quantity: 1, period: 'week' },
  { quantity: 2, period: 'day' },
  { quantity: 5, period: 'hour' },
];
const unitMs = { hour: hourMs, day: dayMs, week: 7 * dayMs, month: 30 * dayMs, year: 365 * dayMs };

export function drawScenario(random: Random): Scenario {
  const startMs = drawStart(random);
  const length = random.pick(lengths);
  const lengthMs = length.quantity * unitMs[length.period];
  const merchantEndMs = startMs + random.whole(2, 9) * lengthMs + random.whole(0, 40 * hourMs) + restMs(lengthMs);
  const hasTestClock = random.chance(0.2);
  const endMs = hasTestClock ? startMs + 4 * hourMs : merchantEndMs;
  const time = () => random.whole(startMs, endMs);
  const trial = random.chance(0.3) ? random.pick(trials) : undefined;
  const isDebit = random.chance(0.2);
  return {
    startMs,
    endMs,
    plans: drawPlans(random, length, trial),
    setupFeeMinor: random.chance(0.2) ? 500 : 0,
    currency: random.pick(['EUR', 'JPY', 'KWD']),
    graceDays: random.pick([0, 1, 3, 7, 30]),
    retryDays: random.pick([[1, 3, 7, 14, 21], [1], [2, 5], []]),
    hasCard: trial === undefined || random.chance(0.7),
    isDebit,
    opensAccess: random.chance(0.5),
    hasTestClock,
    moods: drawMoods(random, startMs, merchantEndMs),
    providerFaults: drawSpans(random, 3, time, 2 * dayMs).map((span) => ({
      ...span,
      kind: random.chance(0.7) ? 'down' : span.fromMs % 2 === 1 ? 'misconfigured' : 'disconnected',
    })),
    workerOutages: drawSpans(random, 2, time, dayMs),
    acts: [
      ...drawActs(random, time, isDebit),
      ...(hasTestClock ? drawMoves(random, time, merchantEndMs - startMs) : []),
    ].sort((a, b) => a.atMs - b.atMs),
  };
}

/** Long periods leave time for the retries of the last one. */
const restMs = (lengthMs: number) => (lengthMs > 6 * dayMs ? 30 * dayMs : 4 * dayMs);

const trials: readonly [PeriodLength, ...PeriodLength[]] = [
  { quantity: 7, period: 'day' },
  { quantity: 1, period: 'day' },
  { quantity: 1, period: 'month' },
];

function drawStart(random: Random): number {
  const dayStartMs = random.chance(0.4)
    ? Date.parse(`${random.pick(specialDays)}T00:00:00Z`)
    : Date.UTC(2024, 0, 1) + random.whole(0, 4 * 365) * dayMs;
  return dayStartMs + random.whole(0, dayMs - 1);
}

function drawPlans(random: Random, length: PeriodLength, trial: PeriodLength | undefined): Plan[] {
  const priceMinor = random.pick([990, 1000, 4990]);
  return [
    { id: 1, ...length, priceMinor, ...(trial && { trial }) },
    { id: 2, ...length, priceMinor: random.pick([1990, 500]), ...(trial && random.chance(0.5) && { trial }) },
    { id: 3, ...random.pick(lengths), priceMinor: 2500 },
  ];
}

/** Most payers pay most of the time. */
function drawMoods(random: Random, startMs: number, endMs: number): Scenario['moods'] {
  const moods: Scenario['moods'] = [{ fromMs: startMs, mood: random.chance(0.85) ? 'pays' : drawMood(random) }];
  for (let count = random.whole(0, 5); count > 0; count -= 1)
    moods.push({ fromMs: random.whole(startMs, endMs), mood: drawMood(random) });
  return moods.sort((a, b) => a.fromMs - b.fromMs);
}

export const drawMood = (random: Random): PayerMood =>
  random.pick(['pays', 'pays', 'pays', 'soft', 'soft', 'hard', 'later', 'authenticates', 'ignores']);

function drawSpans(random: Random, most: number, time: () => number, longestMs: number) {
  const isCalm = random.chance(0.6);
  return Array.from({ length: isCalm ? 0 : random.whole(1, most) }, () => {
    const fromMs = time();
    return { fromMs, toMs: fromMs + random.whole(minuteMs, random.chance(0.5) ? hourMs : longestMs) };
  });
}

function drawActs(random: Random, time: () => number, isDebit: boolean): Act[] {
  const acts: Act[] = Array.from({ length: random.whole(0, 7) }, () => drawRequest(random, time()));
  const add = (what: 'revoke' | 'restore' | 'erase' | 'return' | 'lose', share: number) => {
    if (random.chance(share)) acts.push({ atMs: time(), what });
  };
  add('revoke', 0.08);
  add('restore', 0.06);
  add('erase', 0.05);
  if (isDebit) add('return', 0.4);
  for (let losses = random.whole(0, 3); losses > 0; losses -= 1) add('lose', 0.4);
  return acts;
}

export function drawRequest(random: Random, atMs: number): Act {
  return {
    atMs,
    what: 'request',
    change: drawChange(random, atMs),
    isPromised: random.chance(0.3),
    isMerchant: random.chance(0.3),
    repeats: random.chance(0.2) ? random.whole(1, 3) : 0,
  };
}

function drawChange(random: Random, atMs: number): Change {
  const change = random.pick<Exclude<Change['kind'], 'takeOffer'>>([
    'cancel',
    'cancel',
    'resume',
    'resume',
    'pause',
    'extend',
    'retry',
    'switch',
    'switch',
    'useCard',
    'giveUp',
  ]);
  switch (change) {
    case 'cancel':
      return { kind: change, at: random.chance(0.3) ? 'now' : 'period_end', reason: '' };
    case 'pause':
      return { kind: change, ...(random.chance(0.5) && { resumesAtMs: atMs + random.whole(0, 90 * dayMs) }) };
    case 'extend':
      return { kind: change, days: random.whole(1, 40) };
    case 'switch':
      return {
        kind: change,
        accessFeeId: random.whole(1, 3),
        ...(random.chance(0.5) && { mode: random.pick<SwitchMode>(['now', 'next_invoice', 'next_period', 'reset']) }),
      };
    case 'useCard':
      return { kind: change, cardId: random.whole(2, 100) };
    case 'resume':
    case 'retry':
    case 'giveUp':
      return { kind: change };
  }
}

/** The merchant moves the clock in some large and many small steps. */
function drawMoves(random: Random, time: () => number, totalMs: number): Act[] {
  const moves = random.whole(3, 25);
  return Array.from({ length: moves }, () => ({
    atMs: time(),
    what: 'advance',
    byMs: Math.floor((random.next() * 2 * totalMs) / moves),
  }));
}
