import fc from 'fast-check';
import { type cards } from '../support/factories';
import { type PlanPart, rangesOf } from './shrink';

/** What a run of the simulator does, computed from its seed alone: the same seed gives the same plan. */
export interface Plan {
  seed: number;
  /** The options that give this plan again. */
  options: string;
  lengthMs: number;
  merchants: number;
  consumers: number;
  /** Whether all consumers have an account before the first operation. Otherwise each registers before its first one. */
  registersFirst?: boolean;
  operations: Operation[];
  faults: Fault[];
}

/** Operations that read, each with its share: access checks, a subscription, the list of subscriptions, and a page. */
const reads = { look: 4, check: 60, view: 30, list: 14, page: 12 } as const;

/** Each kind with its share of all operations. About half of all operations read. */
const shares = {
  subscribe: 22,
  pay: 22,
  give: 7,
  redeem: 7,
  cancel: 8,
  resume: 5,
  switch: 7,
  refund: 10,
  reconnect: 8,
  advance: 4,
  enter: 7,
  leave: 3,
  adjust: 4,
  export: 1,
  erase: 1,
  present: 5,
  ...reads,
} as const;
export type OperationKind = keyof typeof shares;

export const isRead = (what: string): boolean => what in reads;

/** Cards that pay, that are refused, and whose answer is lost after the charge or before it. */
const usedCards = [
  'success',
  'success',
  'timeoutAfterCharging',
  'timeoutBeforeCharging',
  'declined',
  'declinedAtRenewal',
  'declinedOnceAtRenewal',
] as const satisfies (keyof typeof cards)[];

/** An operation has the parameters of all kinds. Each kind reads some of them. */
export interface Operation {
  number: number;
  /** Counted from the start of the run. */
  atMs: number;
  consumer: number;
  what: OperationKind;
  card: (typeof usedCards)[number];
  /** Which of the merchant's items and fees. */
  item: number;
  fee: number;
  voucher: 'none' | 'limited' | 'unlimited';
  /** Without a key the request is sent once. With a key it is sent until it is answered. */
  withKey: boolean;
  /** How often the request is sent again after its answer, and whether all of them are sent at the same time. */
  repeats: number;
  together: boolean;
  /** Whether a refund takes the whole charge. */
  isFull: boolean;
  days: number;
}

export const targets = ['API', 'worker', 'PostgreSQL', 'Temporal', 'provider'] as const;
export type Target = (typeof targets)[number];

/**
 * `kill`: SIGKILL, and a new start. `freeze`: SIGSTOP, and SIGCONT after `lengthMs`. `cut before`, `cut after`: the
 * connection between an API and PostgreSQL breaks before or after the next COMMIT of a request with a key. `lose`: Temporal
 * is killed and its store is deleted. `lost answers`, `late answers`: the provider does its work for each request, and
 * cuts the connection without an answer, or answers after the service has given up, for at most `lengthMs`. `slow disk`,
 * `full disk`: PostgreSQL waits for each flush, or cannot extend its files. `old store`: Temporal runs with a store that is
 * `lengthMs` old, until it gets an empty one. `clock jump`: the clock of an API, a worker or PostgreSQL is ahead or behind for
 * `lengthMs`. `backup`: PostgreSQL restarts, and its files are copied. After the run it gets the copy back.
 */
export const faultKinds = [
  ...(['kill', 'kill two', 'freeze', 'cut before', 'cut after', 'lose'] as const),
  ...(['lost answers', 'late answers', 'slow disk', 'full disk', 'old store', 'clock jump', 'backup'] as const),
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  number: number;
  atMs: number;
  what: FaultKind;
  target: Target;
  /** Which of the replicas of the target. */
  replica: number;
  lengthMs: number;
}

export interface Size {
  seed: number;
  minutes: number;
  operations?: number;
  faults?: number;
  /** Kills besides those among the faults. */
  kills?: number;
  isRestored?: boolean;
  /** Undefined: all. */
  kept?: PlanPart | undefined;
}

const operationsPerMinute = 900;
const faultsPerMinute = 5;
const operationsPerConsumer = 16;
const consumersPerMerchant = 12;
/** In a long run, new consumers come while others go, so that the load does not depend on its length. */
const consumersAtOnce = 240;

/** The whole plan of the seed, or the kept operations and faults of it, unchanged and at their times. */
export function planRun({ kept, ...size }: Size): Plan {
  const plan = planWhole(size);
  if (!kept) return plan;
  const operations = plan.operations.filter(({ number }) => kept.operations.includes(number));
  const faults = plan.faults.filter(({ number }) => kept.faults.includes(number));
  const chosen = [
    ...(operations.length < plan.operations.length ? [` --only-operations ${rangesOf(kept.operations)}`] : []),
    ...(faults.length < plan.faults.length ? [` --only-faults ${rangesOf(kept.faults)}`] : []),
  ];
  return { ...plan, options: plan.options + chosen.join(''), operations, faults };
}

export const numbersOf = ({ operations, faults }: Plan): PlanPart => ({
  operations: operations.map(({ number }) => number),
  faults: faults.map(({ number }) => number),
});

function planWhole({ seed, minutes, ...counts }: Omit<Size, 'kept'>): Plan {
  const lengthMs = minutes * 60_000;
  const operations = counts.operations ?? Math.round(minutes * operationsPerMinute);
  const consumers = Math.max(1, Math.ceil(operations / operationsPerConsumer));
  const atOnce = Math.min(consumers, consumersAtOnce);
  const gone = (index: number) => Math.floor(((consumers - atOnce) * index) / operations);
  const drawn = draw(operationOf(atOnce), operations, seed);
  const present = drawn.map((operation, index) => ({ ...operation, consumer: gone(index) + operation.consumer }));
  const merchants = Math.ceil(consumers / consumersPerMerchant);
  const { faults = Math.round(minutes * faultsPerMinute), kills = 0, isRestored = false } = counts;
  return {
    seed,
    options: `--seed ${seed} --minutes ${minutes} --operations ${operations} --faults ${faults} --kills ${kills}${isRestored ? ' --restore' : ''}`,
    lengthMs,
    merchants,
    consumers,
    operations: beginWithPurchases(present).map((operation, index) => ({
      ...operation,
      number: index + 1,
      atMs: Math.floor((lengthMs * index) / operations),
    })),
    // Faults begin after the first operations, and end before the last ones.
    faults: [
      ...spread(draw(fault, faults, seed + 1), lengthMs),
      ...spread(draw(kill, kills, seed + 2), lengthMs),
      ...(isRestored ? [backupAt(lengthMs)] : []),
    ]
      .sort((a, b) => a.atMs - b.atMs)
      .map((one, index) => ({ ...one, number: index + 1 })),
  };
}

/** In the middle of the run. */
const backupAt = (lengthMs: number) =>
  ({ what: 'backup', target: 'PostgreSQL', replica: 0, lengthMs: 0, atMs: Math.floor(lengthMs / 2) }) as const;

const spread = <T extends { jitter: number }>(drawn: readonly T[], lengthMs: number) =>
  drawn.map(({ jitter, ...one }, index) => ({
    ...one,
    atMs: Math.floor(lengthMs * (0.05 + (0.85 * (index + jitter)) / drawn.length)),
  }));

/** A steady load of purchases that succeed, without faults: each consumer subscribes once, and then pays. */
export function planPurchases({
  seed,
  minutes,
  perSecond,
}: {
  seed: number;
  minutes: number;
  perSecond: number;
}): Plan {
  const operations = Math.round(minutes * 60 * perSecond);
  const plan = planRun({ seed, minutes, operations, faults: 0 });
  return {
    ...plan,
    registersFirst: true,
    options: `--roll --seed ${seed} --minutes ${minutes} --per-second ${perSecond}`,
    operations: onlyPurchases(plan.operations),
  };
}

function onlyPurchases(operations: readonly Operation[]): Operation[] {
  const subscribed = new Set<number>();
  return operations.map((operation) => {
    const what = subscribed.has(operation.consumer) ? 'pay' : 'subscribe';
    subscribed.add(operation.consumer);
    return { ...operation, what, card: 'success', voucher: 'none', withKey: true, repeats: 0 };
  });
}

/** A consumer first subscribes and pays: without a purchase there is nothing to cancel, to switch or to refund. */
function beginWithPurchases<T extends Pick<Operation, 'consumer' | 'what'>>(operations: readonly T[]): T[] {
  const first = new Map<number, OperationKind[]>();
  return operations.map((operation) => {
    const left = first.get(operation.consumer) ?? ['pay', 'subscribe'];
    first.set(operation.consumer, left);
    return { ...operation, what: left.pop() ?? operation.what };
  });
}

/** Values that depend only on the seed, and are spread evenly. */
function draw<T>(arbitrary: fc.Arbitrary<T>, count: number, seed: number): T[] {
  const all = fc.array(fc.noBias(arbitrary), { minLength: count, maxLength: count, size: 'max' });
  return fc.sample(all, { seed, numRuns: 1 })[0] ?? [];
}

/** Values with their weights. */
const oneOf = <T extends string>(weights: Partial<Record<T, number>>): fc.Arbitrary<T> =>
  fc.oneof(
    ...Object.entries<number | undefined>(weights).map(([value, weight = 0]) => ({
      weight,
      arbitrary: fc.constant(value as T),
    })),
  );

const operationOf = (consumers: number) =>
  fc.record({
    consumer: fc.nat({ max: consumers - 1 }),
    what: oneOf<OperationKind>(shares),
    card: fc.constantFrom(...usedCards),
    item: fc.nat({ max: 2 }),
    fee: fc.nat({ max: 1 }),
    voucher: fc.constantFrom('none', 'none', 'none', 'limited', 'unlimited'),
    withKey: fc.integer({ min: 1, max: 10 }).map((drawn) => drawn > 1),
    repeats: fc.constantFrom(0, 0, 1, 2),
    together: fc.boolean(),
    isFull: fc.boolean(),
    days: fc.integer({ min: 2, max: 20 }),
  });

const slowAnswers = { 'lost answers': 3, 'late answers': 1 };
const storage = { 'slow disk': 1, 'full disk': 1, 'old store': 1 };
const clocks = { 'clock jump': 2 };

const jitter = fc.nat({ max: 999 }).map((drawn) => drawn / 1_000);

/** Parts that start soon are killed more often. */
const kill = fc.record({
  what: fc.constant('kill' as const),
  target: oneOf<Target>({ API: 3, worker: 3, PostgreSQL: 1, Temporal: 2, provider: 2 }),
  replica: fc.nat({ max: 1 }),
  lengthMs: fc.constant(0),
  jitter,
});

const fault = fc.record({
  what: oneOf<FaultKind>({
    kill: 9,
    'kill two': 2,
    freeze: 3,
    'cut before': 3,
    'cut after': 4,
    lose: 1,
    ...slowAnswers,
    ...storage,
    ...clocks,
  }),
  target: oneOf<Target>({ API: 4, worker: 4, PostgreSQL: 2, Temporal: 2, provider: 2 }),
  replica: fc.nat({ max: 1 }),
  lengthMs: fc.integer({ min: 5_000, max: 20_000 }),
  jitter,
});
