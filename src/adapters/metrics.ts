import { type Server } from 'node:http';
import { Gauge, Registry } from 'prom-client';
import { logger } from './logger';
import { mailServerIsSet } from './mailer';
import { pool } from './postgres/connection';
import { isHere } from './postgres/moving';
import { processRegistry, serveMetrics } from './processMetrics';

/**
 * The Prometheus metrics of the installation, which every API reads from the database: take their maximum, not their sum.
 * Rows of merchants that move to another installation are not counted: they wait on purpose.
 */
const registry = new Registry();

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
  name: 'paywall_dunning_subscriptions',
  help: 'Subscriptions whose renewal was declined. retry: whether another attempt is planned, or only a new card can succeed; alert if they grow',
  labelNames: ['state', 'retry'],
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ state: string; retry: string; found: number }>(
      `SELECT state, CASE WHEN next_retry_at IS NULL THEN 'none' ELSE 'planned' END AS retry, count(*)::int AS found
       FROM subscriptions
       WHERE state IN ('past_due', 'on_hold') AND past_due_at IS NOT NULL AND ${isHere('subscriptions.merchant_id')}
       GROUP BY 1, 2`,
    );
    for (const state of ['past_due', 'on_hold']) for (const retry of ['planned', 'none']) this.set({ state, retry }, 0);
    for (const { state, retry, found } of rows) this.set({ state, retry }, found);
  },
});

new Gauge({
  name: 'paywall_wal_archive_failing',
  help: 'Whether PostgreSQL could not copy the last part of its log to the archive; alert if it stays 1',
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ failing: number }>(
      `SELECT coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)::int AS failing
       FROM pg_stat_archiver`,
    );
    this.set(rows[0]?.failing ?? 0);
  },
});

new Gauge({
  name: 'paywall_backup_age_seconds',
  help: 'Age of the newest base backup of `npm run backup`, without a value before the first; alert above 93600',
  labelNames: ['kind'],
  registers: [registry],
  async collect() {
    const { rows } = await pool.query<{ age: number | null }>(
      'SELECT extract(epoch FROM now() - max(ended_at))::float AS age FROM base_backups',
    );
    this.reset();
    const age = rows[0]?.age ?? undefined;
    if (age !== undefined) this.set({ kind: 'base' }, age);
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

/** A task queue in Temporal. */
export interface QueueGauges {
  queue: string;
  /** The workers that poll for each kind of task of the queue. */
  pollers: number;
  /** The tasks that no worker has taken yet, about. */
  waiting: number;
  oldestSeconds: number;
}

const queueGauges = [
  {
    name: 'paywall_queue_pollers',
    help: 'Workers that have polled a task queue within two minutes, without a value while Temporal does not answer; alert if it is 0',
    read: ({ pollers }: QueueGauges) => pollers,
  },
  {
    name: 'paywall_queue_tasks',
    help: 'Tasks that wait in a task queue of Temporal, about',
    read: ({ waiting }: QueueGauges) => waiting,
  },
  {
    name: 'paywall_queue_oldest_seconds',
    help: 'How long the oldest task waits in a task queue of Temporal, about',
    read: ({ oldestSeconds }: QueueGauges) => oldestSeconds,
  },
];

export function gaugeQueues(count: () => Promise<QueueGauges[]>): void {
  for (const { name, help, read } of queueGauges)
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const counted of await count()) this.set({ queue: counted.queue }, read(counted));
      },
    });
}

/**
 * Serves the metrics of this API and of the installation. They have a port of their own, which must not be public. If the
 * database does not answer, only the metrics of the process are served.
 */
export function createMetricsServer(): Server {
  return serveMetrics(async () => {
    const [ofProcess, ofInstallation] = await Promise.all([
      processRegistry.metrics(),
      registry.metrics().catch((error: Error) => {
        logger.warn({ reason: error.message }, 'the metrics of the installation cannot be read');
        return '';
      }),
    ]);
    return ofProcess + ofInstallation;
  });
}
