import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { mailServerIsSet } from './mailer/transport';
import { pool } from './postgres/connection';

/** Prometheus metrics, on a port of their own that is not for the public. */
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
  help: 'Age of the oldest promise that no workflow has heard of; alert above 60',
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
  help: 'Promises that the Temporal server refuses; alert above 0',
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
  help: 'Age of the oldest mail that the mail server has not taken; alert above 600',
  registers: [registry],
  async collect() {
    if (!mailServerIsSet) return this.set(0);
    const { rows } = await pool.query<{ age: number }>(
      `SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float AS age FROM mails
       WHERE sent_at IS NULL AND parked_at IS NULL`,
    );
    this.set(rows[0]?.age ?? 0);
  },
});

new Gauge({
  name: 'paywall_store_purchases_unacknowledged',
  help: 'Purchases that their store gives back within hours, because it does not know that they are served; alert above 0',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ late: number }>(
      `SELECT count(*)::int AS late FROM store_purchases
       WHERE needs_acknowledgement AND state IN ('active', 'grace') AND purchased_at < now() - interval '60 hours'`,
    );
    this.set(rows[0]?.late ?? 0);
  },
});

const storeNotifications = new Counter({
  name: 'paywall_store_notifications_total',
  help: 'Notifications of app stores by outcome; of forged ones nothing else is kept',
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
           WHERE status = 'open' AND created_at < merchant_now(merchant_id) - interval '10 minutes')::int
         + (SELECT count(*) FROM refunds WHERE state = 'open' AND created_at < now() - interval '10 minutes')::int AS unknown`,
    );
    this.set(rows[0]?.unknown ?? 0);
  },
});

type Observers = Map<number, Histogram.Internal<string>>;
/** By route, method and status: to look labels up, or to put a name together, at every request costs more than to observe. */
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
