import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { mailServerIsSet } from './mailer';
import { pool } from './postgres/connection';
import { isHere } from './postgres/moving';

/**
 * Prometheus metrics. They have a port of their own, which must not be public. Rows of merchants that move to another installation
 * are not counted: they wait on purpose.
 */
const registry = new Registry();
collectDefaultMetrics({ register: registry });

const requests = new Histogram({
  name: 'paywall_http_request_seconds',
  help: 'Answered requests by declared path',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.005, 0.02, 0.1, 0.5, 2],
  registers: [registry],
});

new Gauge({
  name: 'paywall_outbox_oldest_seconds',
  help: 'Age of the oldest outbox message that was not sent to Temporal; alert above 60',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ age: number }>(
      'SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float AS age FROM outbox',
    );
    this.set(rows[0]?.age ?? 0);
  },
});

new Gauge({
  name: 'paywall_outbox_parked',
  help: 'Outbox messages that the Temporal server refuses; alert above 0',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ parked: number }>(
      'SELECT count(*)::int AS parked FROM outbox WHERE parked_at IS NOT NULL',
    );
    this.set(rows[0]?.parked ?? 0);
  },
});

new Gauge({
  name: 'paywall_mails_oldest_seconds',
  help: 'Age of the oldest mail that the mail server has not accepted, without those that wait for a budget; alert above 600',
  registers: [registry],
  async collect() {
    if (!mailServerIsSet) return this.set(0);
    const { rows } = await pool.query<{ age: number }>(
      `SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float AS age FROM mails
       WHERE sent_at IS NULL AND parked_at IS NULL AND NOT is_postponed AND ${isHere('mails.merchant_id')}`,
    );
    this.set(rows[0]?.age ?? 0);
  },
});

new Gauge({
  name: 'paywall_store_purchases_unacknowledged',
  help: 'Purchases that their store refunds within hours because they are not acknowledged; alert above 0',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ late: number }>(
      `SELECT count(*)::int AS late FROM store_purchases
       WHERE needs_acknowledgement AND state IN ('active', 'grace') AND purchased_at < now() - interval '60 hours'
         AND ${isHere('store_purchases.merchant_id')}`,
    );
    this.set(rows[0]?.late ?? 0);
  },
});

new Gauge({
  name: 'paywall_webhooks_oldest_seconds',
  help: 'Age of the oldest webhook delivery that its receiver has not accepted; alert above 3600',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ age: number }>(
      `SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float AS age FROM webhook_deliveries
       WHERE state = 'pending' AND ${isHere('webhook_deliveries.merchant_id')}`,
    );
    this.set(rows[0]?.age ?? 0);
  },
});

new Gauge({
  name: 'paywall_events_recent',
  help: 'Events of the last five minutes by type: purchases, renewals, failures, cancellations and changes of access',
  labelNames: ['type'],
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ type: string; recent: number }>(
      `SELECT type, count(*)::int AS recent FROM events WHERE created_at > now() - interval '5 minutes' GROUP BY type`,
    );
    this.reset();
    for (const { type, recent } of rows) this.set({ type }, recent);
  },
});

new Gauge({
  name: 'paywall_database_connections',
  help: 'Connections of this process to PostgreSQL by state, and the requests that wait for one; alert if they keep waiting',
  labelNames: ['state'],
  registers: [registry],
  collect() {
    this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
    this.set({ state: 'idle' }, pool.idleCount);
    this.set({ state: 'waiting' }, pool.waitingCount);
  },
});

const storeNotifications = new Counter({
  name: 'paywall_store_notifications_total',
  help: 'Notifications of app stores by outcome; forged ones are only counted',
  labelNames: ['store', 'outcome'],
  registers: [registry],
});

export function countStoreNotification(store: string, outcome: string): void {
  storeNotifications.inc({ store, outcome });
}

new Gauge({
  name: 'paywall_charges_unknown',
  help: 'Charges and refunds without an outcome for ten minutes; alert above 0 for an hour',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ unknown: number }>(
      `SELECT (SELECT count(*) FROM charges
           WHERE status = 'open' AND created_at < merchant_now(merchant_id) - interval '10 minutes'
             AND ${isHere('charges.merchant_id')})::int
         + (SELECT count(*) FROM refunds WHERE state = 'open' AND created_at < now() - interval '10 minutes'
             AND ${isHere('refunds.merchant_id')})::int AS unknown`,
    );
    this.set(rows[0]?.unknown ?? 0);
  },
});

new Gauge({
  name: 'paywall_provider_faults',
  help: 'Reasons for which the card provider refuses charges of a merchant, other than declined cards; alert above 0',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ faults: number }>(
      `SELECT count(*)::int AS faults FROM provider_faults WHERE seen_at > now() - interval '2 hours'
         AND ${isHere('provider_faults.merchant_id')}`,
    );
    this.set(rows[0]?.faults ?? 0);
  },
});

new Gauge({
  name: 'paywall_renewals_deferred',
  help: 'Renewals that wait because the card provider refuses or is unavailable; alert above 0 for an hour',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ deferred: number }>(
      `SELECT count(*)::int AS deferred FROM subscriptions
       WHERE deferred_at IS NOT NULL AND ${isHere('subscriptions.merchant_id')}`,
    );
    this.set(rows[0]?.deferred ?? 0);
  },
});

new Gauge({
  name: 'paywall_rows_behind',
  help: 'Runs of the last day whose state was newer than their row, as after restoring PostgreSQL; alert above 0',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ behind: number }>(
      `SELECT count(*)::int AS behind FROM rows_behind WHERE seen_at > now() - interval '1 day'`,
    );
    this.set(rows[0]?.behind ?? 0);
  },
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

/** The rows of one workflow that need a run. */
export interface RunGauges {
  workflow: string;
  overdue: number;
  oldestSeconds: number;
  /** Undefined while Temporal does not answer, and for workflows that Temporal starts by a schedule. */
  missing: number | undefined;
}

const runGauges = [
  {
    name: 'paywall_runs_overdue',
    help: 'Rows that have been due for two minutes and were not processed, by workflow; alert above 0 for ten minutes',
    read: ({ overdue }: RunGauges) => overdue,
  },
  {
    name: 'paywall_runs_overdue_oldest_seconds',
    help: 'How long the oldest overdue row has been due, by workflow; alert above 3600',
    read: ({ oldestSeconds }: RunGauges) => oldestSeconds,
  },
  {
    name: 'paywall_runs_missing',
    help: 'Rows that need a run and have none in Temporal, by workflow; alert above 0 for an hour',
    read: ({ missing }: RunGauges) => missing,
  },
];

export function gaugeRuns(count: () => Promise<RunGauges[]>): void {
  for (const { name, help, read } of runGauges)
    new Gauge({
      name,
      help,
      labelNames: ['workflow'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const counted of await count()) {
          const value = read(counted);
          if (value !== undefined) this.set({ workflow: counted.workflow }, value);
        }
      },
    });
}

export function gaugeSockets(count: () => number): void {
  new Gauge({
    name: 'paywall_sockets',
    help: 'Open notification sockets',
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
}

export function createMetricsServer(): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    registry.metrics().then(
      (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
      () => response.writeHead(503).end(),
    );
  });
}
