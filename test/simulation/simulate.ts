import { setTimeout as sleep } from 'node:timers/promises';
import { webhookOnlyTypes } from '../../src/notifications/events';
import { withClient } from '../../bench/database';
import { BackEnds } from './backEnds';
import { type Books } from './books';
import { findViolations } from './checker';
import { Consumer } from './consumer';
import { type HistoryFile } from './history';
import { Listener } from './listener';
import { readBooks, readUnfinished } from './readBooks';
import { type World } from './requests';
import { type Operation, type Plan } from './schedule';
import { restoreOlder, type Restorable } from './restore';
import { type Service } from './service';
import { missedRules, plantFaults, withoutLastWebhook } from './selfCheck';
import { openShops } from './shops';
import { type Violation } from './rules/violation';

/** A sweep finds a lost run within minutes. What is not done after this time is a violation. */
const settledWithinMs = 10 * 60_000;
const heardWithinMs = 60_000;
const registrationsAtOnce = 4;

export interface Found {
  books: Books;
  violations: Violation[];
  /** Only for a self-check: the rules that did not find a fault that was planted after the run. */
  missedRules?: string[];
}

/** What the clients of a run use of a service. */
export type Served = Pick<Service, 'addresses' | 'databaseUrl' | 'isUp'> & { storesUrl?: string };

interface Options {
  tell: (line: string) => void;
  /** What happens to the service meanwhile. */
  disturb: () => Promise<void>;
  /** Whether faults are planted after the run, to prove that the checker finds them. */
  isSelfCheck: boolean;
  /** PostgreSQL gets an older state after the run. Absent: it does not. */
  restorable?: Restorable;
}

/** Runs a plan against a service, lets the service recover, and compares all books with what its clients know. */
export async function simulate(
  plan: Plan,
  service: Served,
  history: HistoryFile,
  { tell, disturb, isSelfCheck, restorable }: Options,
): Promise<Found> {
  const ending = new AbortController();
  const backEnds = await BackEnds.start(history);
  const world: World = {
    addresses: service.addresses,
    history,
    backEnds,
    storesUrl: service.storesUrl,
    ending: ending.signal,
  };
  const shops = await openShops(world, plan.merchants);
  const merchants = shops.map(
    ({ actor, merchant: { token, uuid } }) => new Listener(world, { actor, token, merchantUuid: uuid }),
  );
  const consumers = Array.from({ length: plan.consumers }, (_, index) => {
    const shop = shops[Math.floor(index / consumersPerMerchant(plan))];
    if (!shop) throw new Error('a consumer without a shop');
    return new Consumer(world, shop, index);
  });
  tell(`${plan.merchants} merchants are open; ${plan.operations.length} operations, ${plan.faults.length} faults`);
  if (plan.registersFirst) await registerAll(consumers);
  const giveUp = setTimeout(() => ending.abort(), plan.lengthMs + settledWithinMs);
  const disturbance = disturb();
  await Promise.all(consumers.map((consumer, index) => live(consumer, ofConsumer(plan, index))));
  await disturbance;
  clearTimeout(giveUp);
  tell('All requests are answered. The service settles');
  await settle(service);
  const books = await withClient(service.databaseUrl, readBooks);
  const listeners = [...merchants, ...consumers.flatMap(({ listener }) => listener ?? [])];
  await allHeard(listeners, books);
  for (const listener of listeners) listener.stop();
  const violations = findViolations(history.entries, books);
  if (restorable) violations.push(...(await restoreOlder(restorable, books, { tell, settle: () => settle(service) })));
  backEnds.stop();
  if (!isSelfCheck) return { books, violations };
  const wrongBooks = await withClient(service.databaseUrl, (client) =>
    plantFaults(client).then(() => readBooks(client)),
  );
  const found = findViolations(withoutLastWebhook(history.entries), wrongBooks);
  return { books, violations, missedRules: missedRules(violations, found) };
}

/** A few at a time: the API computes a slow hash for each password. */
async function registerAll(consumers: readonly Consumer[]): Promise<void> {
  const left = [...consumers];
  const inTurn = async () => {
    for (let next = left.pop(); next; next = left.pop()) await next.register();
  };
  await Promise.all(Array.from({ length: registrationsAtOnce }, inTurn));
}

const consumersPerMerchant = ({ consumers, merchants }: Plan) => Math.ceil(consumers / merchants);

const ofConsumer = ({ operations }: Plan, index: number) => operations.filter(({ consumer }) => consumer === index);

/** One operation after the other, each not before its time. */
async function live(consumer: Consumer, operations: readonly Operation[]): Promise<void> {
  const beganAt = Date.now();
  for (const operation of operations) {
    await sleep(Math.max(0, beganAt + operation.atMs - Date.now()));
    await consumer.do(operation);
  }
}

/** Waits until all parts run and nothing is left to do, but not forever: the checker tells what is left. */
async function settle(service: Served): Promise<void> {
  for (const until = Date.now() + settledWithinMs; Date.now() < until; await sleep(500)) {
    if (!service.isUp()) continue;
    const left = await withClient(service.databaseUrl, readUnfinished).catch(() => undefined);
    if (left && Object.values(left).every((texts) => texts.length === 0)) return;
  }
}

async function allHeard(listeners: readonly Listener[], { events }: Books): Promise<void> {
  const heardEvents = events.filter(({ type }) => !webhookOnlyTypes.some((one) => one === type));
  const lastOf = ({ audience }: Listener) =>
    heardEvents.findLast(
      ({ merchantUuid, accountUuid }) =>
        merchantUuid === audience.merchantUuid &&
        (audience.accountUuid === undefined || accountUuid === audience.accountUuid),
    )?.sequence ?? 0;
  const hasHeard = (listener: Listener) => listener.isStopped || listener.lastId >= lastOf(listener);
  for (const until = Date.now() + heardWithinMs; Date.now() < until && !listeners.every(hasHeard);) await sleep(100);
}
