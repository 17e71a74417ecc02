import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { pool, sequelize } from './postgres/connection';

/**
 * The Prometheus metrics of one process, an API or a worker. Sums over all processes are the figures of the installation.
 * A label has few values, which the program knows: never an id of a merchant, and no free text.
 */
export const processRegistry = new Registry();
collectDefaultMetrics({ register: processRegistry });

const requests = new Histogram({
  name: 'paywall_http_request_seconds',
  help: 'Answered requests by declared path',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.005, 0.02, 0.1, 0.5, 2],
  registers: [processRegistry],
});

type Observers = Map<number, Histogram.Internal<string>>;
/** Observers by route, method and status: a look-up of the labels at each request costs more than the observation. */
const observers = new Map<string, Map<string, Observers>>();

export function observeRequest(route: string, method: string, status: number, seconds: number): void {
  const ofRoute = within(observers, route, () => new Map<string, Observers>());
  const ofMethod = within(ofRoute, method, (): Observers => new Map());
  within(ofMethod, status, () => requests.labels({ route, method, status })).observe(seconds);
}

function within<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

const charges = new Counter({
  name: 'paywall_charges_total',
  help: 'Outcomes of charges above 0 by kind. declined: the bank refused. refused: the service did not send the charge or gave it up',
  labelNames: ['kind', 'outcome'],
  registers: [processRegistry],
});

const declines = new Counter({
  name: 'paywall_declines_total',
  help: 'Declined and refused charges by kind, class and reason. soft: a later day may succeed. hard: this card never will. later: an hour later may',
  labelNames: ['kind', 'class', 'reason'],
  registers: [processRegistry],
});

export type ChargeKind = 'purchase' | 'renewal';

/** `requires_action` and `processing` are not final: the same charge is counted once more at its end. */
export type CountedOutcome = 'paid' | 'declined' | 'refused' | 'requires_action' | 'processing';

// Counters begin at 0, so that the first outcome of a kind is an increase.
for (const kind of ['purchase', 'renewal'])
  for (const outcome of ['paid', 'declined', 'refused', 'requires_action', 'processing'])
    charges.inc({ kind, outcome }, 0);

export function countCharge(kind: ChargeKind, outcome: CountedOutcome): void {
  charges.inc({ kind, outcome });
}

/** Begins the counters of declines at 0 for these reasons, so that the first decline of a reason is an increase. */
export function beginDeclines(reasons: readonly string[]): void {
  for (const kind of ['purchase', 'renewal'])
    for (const decline of ['soft', 'hard', 'later'])
      for (const reason of reasons) declines.inc({ kind, class: decline, reason }, 0);
}

/** `reason` is one of those that were begun. */
export function countDecline(kind: ChargeKind, decline: 'soft' | 'hard' | 'later', reason: string): void {
  declines.inc({ kind, class: decline, reason });
}

const mails = new Counter({
  name: 'paywall_mails_total',
  help: 'Mails by outcome. sent: the mail server took it. retried: it will be tried again. given_up: it is never sent',
  labelNames: ['outcome'],
  registers: [processRegistry],
});
for (const outcome of ['sent', 'retried', 'given_up']) mails.inc({ outcome }, 0);

export function countMail(outcome: 'sent' | 'retried' | 'given_up'): void {
  mails.inc({ outcome });
}

const webhooks = new Counter({
  name: 'paywall_webhook_attempts_total',
  help: 'Attempts to deliver an event to a webhook by outcome, without test messages. retried: it will be tried again. given_up: it was the last attempt',
  labelNames: ['outcome'],
  registers: [processRegistry],
});
for (const outcome of ['delivered', 'retried', 'given_up']) webhooks.inc({ outcome }, 0);

export function countWebhookAttempts(outcome: 'delivered' | 'retried' | 'given_up', attempts: number): void {
  webhooks.inc({ outcome }, attempts);
}

const storeNotifications = new Counter({
  name: 'paywall_store_notifications_total',
  help: 'Notifications of app stores by outcome; forged ones are only counted',
  labelNames: ['store', 'outcome'],
  registers: [processRegistry],
});

export function countStoreNotification(store: string, outcome: string): void {
  storeNotifications.inc({ store, outcome });
}

/** The pool of the models, as Sequelize keeps it. Its types do not have it. */
type ModelPool = Record<'using' | 'available' | 'waiting', number>;

// A scrape collects in the order of registration. Each query of the scrape waits for a moment, also if a connection is idle, so
// this gauge comes before them.
new Gauge({
  name: 'paywall_database_connections',
  help: 'Connections of this process to PostgreSQL by pool and state, and the work that waits for one; alert if it keeps waiting',
  labelNames: ['pool', 'state'],
  registers: [processRegistry],
  collect() {
    this.set({ pool: 'statements', state: 'busy' }, pool.totalCount - pool.idleCount);
    this.set({ pool: 'statements', state: 'idle' }, pool.idleCount);
    this.set({ pool: 'statements', state: 'waiting' }, pool.waitingCount);
    const models = (sequelize.connectionManager as unknown as { pool: ModelPool }).pool;
    this.set({ pool: 'models', state: 'busy' }, models.using);
    this.set({ pool: 'models', state: 'idle' }, models.available);
    this.set({ pool: 'models', state: 'waiting' }, models.waiting);
  },
});

new Gauge({
  name: 'paywall_database_up',
  help: 'Whether the database answers this process; alert if it is 0',
  registers: [processRegistry],
  async collect() {
    this.set(
      await pool.query('SELECT 1').then(
        () => 1,
        () => 0,
      ),
    );
  },
});

export function gaugeSockets(count: () => number): void {
  new Gauge({
    name: 'paywall_sockets',
    help: 'Open notification sockets',
    registers: [processRegistry],
    collect() {
      this.set(count());
    },
  });
}

export function serveMetrics(read: () => Promise<string>): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    read().then(
      (text) => response.writeHead(200, { 'Content-Type': processRegistry.contentType }).end(text),
      () => response.writeHead(503).end(),
    );
  });
}
