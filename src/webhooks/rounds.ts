import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type WebhookRound } from '../../workflows/messages';
import { closeWebhookConnections, openWebhookConnections, type WebhookConnections } from '../adapters/webhookSender';
import { type AddressedMessage } from '../notifications/notifications';
import { takeOver } from '../notifications/webhookWakes';
import { attemptDelivery, readDeliveryEvents, type Attempt } from './attempts';
import { createRecorder, isDelivered, reasonOf } from './outcomes';
import {
  claimDue,
  dropDeliveries,
  findSendingEndpoint,
  planNextRound,
  queueEvents,
  type DueDelivery,
  type SendingEndpoint,
} from './queue';

/** The maximum number of accounts that are sent to concurrently. At most half of these lanes are used for retries. */
const mostLanes = 48;
const mostRetries = mostLanes / 2;
const claimedAtOnce = 200;
/** An active run begins its next round within this time. Without one, the run is started again. */
const roundSeconds = 30;
/** A round ends after this time, so that endpoints alternate if a worker has too few slots for all. */
const roundMs = 10_000;
/** While lanes are open, the round checks at this interval for changes of the endpoint and for new deliveries. */
const lookMs = 250;
/** After a lane ends, the round waits this long for others to end, so that one claim serves them all. */
const gatherMs = 10;

/**
 * The state of one round. A lane sends the deliveries of one account, one after the other. Lanes run concurrently, so
 * that a slow response for one account does not delay the others.
 */
interface Round {
  sender: string;
  endpoint: SendingEndpoint;
  lanes: Map<string, Promise<void>>;
  accountIds: Set<number>;
  singleIds: Set<number>;
  /** The keys of lanes that retry a failed delivery. */
  retries: Set<string>;
  connections: WebhookConnections;
  record: (attempt: Attempt) => Promise<void>;
  isOver: () => boolean;
  failure?: string;
  /** The first error of a lane. It ends the round. */
  error?: Error;
}

/** Sends an endpoint's deliveries until none is due, or until the round's time is over. */
export async function deliverWebhooks(endpointId: number, stopped?: AbortSignal): Promise<WebhookRound> {
  const sender = randomUUID();
  await takeOver(endpointId, sender, roundSeconds);
  const endpoint = await findSendingEndpoint(endpointId, sender);
  if (!endpoint) return { state: 'stopped' };
  const endsAtMs = performance.now() + roundMs;
  const round: Round = {
    sender,
    endpoint,
    lanes: new Map(),
    accountIds: new Set(),
    singleIds: new Set(),
    retries: new Set(),
    connections: openWebhookConnections(),
    record: createRecorder(endpointId),
    isOver: () => stopped?.aborted === true || performance.now() >= endsAtMs,
  };
  try {
    return await runRound(round);
  } finally {
    await Promise.all(round.lanes.values());
    closeWebhookConnections(round.connections);
    if (round.error) throw round.error;
  }
}

async function runRound(round: Round): Promise<WebhookRound> {
  while (!round.isOver() && !round.error) {
    const claimed = await openLanes(round);
    const queued = claimed < claimedAtOnce && round.endpoint.is_on ? await queueEvents(round.endpoint) : 0;
    if (round.lanes.size > 0) await waitForChange(round);
    else if (queued === 0) {
      const result = await planNextRound(round.endpoint, round.failure);
      if (result) return result;
    }
    const endpoint = await findSendingEndpoint(round.endpoint.id, round.sender);
    if (!endpoint) return { state: 'stopped' };
    round.endpoint = endpoint;
  }
  return { state: 'delivering' };
}

/** Waits until a lane ends, or until it is time to look for changes. */
async function waitForChange({ lanes }: Round): Promise<void> {
  const timer = new AbortController();
  await Promise.race([...lanes.values(), pause(lookMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
  timer.abort();
  if (lanes.size > 0) await pause(gatherMs);
}

/**
 * Claims deliveries and opens lanes for them. Returns the number of first attempts claimed; while no lane is free, the
 * most that a claim returns, so that no events are taken.
 */
async function openLanes(round: Round): Promise<number> {
  const free = mostLanes - round.lanes.size;
  if (free <= 0) return claimedAtOnce;
  const claim = (isRetry: boolean, limit: number) =>
    claimDue(round.endpoint, {
      isRetry,
      limit,
      accountIds: [...round.accountIds],
      singleIds: [...round.singleIds],
    });
  const fresh = await claim(false, claimedAtOnce);
  const again = await claim(true, Math.min(free, mostRetries - round.retries.size));
  const due = [...again, ...fresh];
  if (due.length === 0) return 0;
  const events = await readDeliveryEvents(round.endpoint, due);
  await dropDeliveries(due.filter(({ id }) => !events.has(id)));
  for (const lane of lanesOf(due.filter(({ id }) => events.has(id))).slice(0, free)) openLane(round, lane, events);
  return fresh.length;
}

/** Groups deliveries by account, in the order of their events. A delivery without an order has a lane of its own. */
function lanesOf(deliveries: DueDelivery[]): DueDelivery[][] {
  const lanes = new Map<string, DueDelivery[]>();
  for (const delivery of deliveries) {
    const key = laneKeyOf(delivery);
    lanes.set(key, [...(lanes.get(key) ?? []), delivery]);
  }
  const bySequence = (a: DueDelivery, b: DueDelivery) => (a.sequence ?? 0) - (b.sequence ?? 0);
  return [...lanes.values()].map((lane) => lane.sort(bySequence));
}

function laneKeyOf({ id, account_id: accountId, is_queued: isQueued }: DueDelivery): string {
  return isQueued ? `account ${accountId}` : `delivery ${id}`;
}

function openLane(round: Round, lane: DueDelivery[], events: Map<number, AddressedMessage>): void {
  const [first] = lane;
  if (!first) return;
  const key = laneKeyOf(first);
  const [ids, id] = first.is_queued ? [round.accountIds, first.account_id ?? 0] : [round.singleIds, first.id];
  ids.add(id);
  if (first.step > 0) round.retries.add(key);
  const ended = runLane(round, lane, events)
    .catch((error: Error) => void (round.error ??= error))
    .finally(() => {
      ids.delete(id);
      round.retries.delete(key);
      round.lanes.delete(key);
    });
  round.lanes.set(key, ended);
}

/** Sends the deliveries of one lane until one of them fails or the round is over. */
async function runLane(round: Round, lane: DueDelivery[], events: Map<number, AddressedMessage>): Promise<void> {
  for (const delivery of lane) {
    const event = events.get(delivery.id);
    if (!event || round.isOver() || (delivery.is_queued && !round.endpoint.is_on)) return;
    const attempt = await attemptDelivery(round.endpoint, delivery, event, round.connections);
    await round.record(attempt);
    if (isDelivered(attempt.reply)) continue;
    round.failure = reasonOf(attempt.reply);
    return;
  }
}
