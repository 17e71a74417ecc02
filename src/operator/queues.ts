import { countRuns } from '../adapters/runCounts';
import { mailServerIsSet } from '../adapters/mailer';
import { query } from '../adapters/postgres/statement';

interface Waiting {
  waiting: number;
  parked: number;
  oldest_seconds: number;
}

const age = (time: string) => `coalesce(greatest(0, extract(epoch FROM now() - min(${time}))), 0)::int`;

const counts = (isLate: string) => `SELECT count(*) FILTER (WHERE parked_at IS NULL)::int AS waiting,
  count(*) FILTER (WHERE parked_at IS NOT NULL)::int AS parked,
  coalesce(greatest(0, extract(epoch FROM now() - min(created_at) FILTER (WHERE parked_at IS NULL AND ${isLate}))), 0)::int
    AS oldest_seconds`;

const none: Waiting = { waiting: 0, parked: 0, oldest_seconds: 0 };

/** What waits in the whole installation, and what was given up. The metrics of the processes have the same numbers. */
export async function readQueues() {
  const [outbox = none] = await query<Waiting>(`${counts('true')} FROM outbox`, []);
  // Without a mail server, mails stay in the test mailbox.
  // A mail that waits for the budget of its merchant is no fault.
  const [mails = { ...none, postponed: 0 }] = await query<Waiting & { postponed: number }>(
    `${counts('NOT is_postponed')}, count(*) FILTER (WHERE parked_at IS NULL AND is_postponed)::int AS postponed
     FROM mails WHERE sent_at IS NULL AND $1`,
    [mailServerIsSet],
  );
  const [webhooks] = await query<{
    waiting: number;
    oldest_seconds: number;
    failed_last_day: number;
    disabled_endpoints: number;
  }>(
    `SELECT (SELECT count(*) FROM webhook_deliveries WHERE state = 'pending')::int AS waiting,
       (SELECT ${age('created_at')} FROM webhook_deliveries WHERE state = 'pending') AS oldest_seconds,
       (SELECT coalesce(sum(given_up), 0) FROM webhook_outcomes WHERE hour_starts_at > now() - interval '1 day')::int
         AS failed_last_day,
       (SELECT count(*) FROM webhook_endpoints WHERE disabled_reason IN ('failing', 'gone'))::int AS disabled_endpoints`,
    [],
  );
  const runs = (await countRuns()).map(({ workflow, overdue, oldestSeconds, missing }) => ({
    workflow,
    overdue,
    oldest_seconds: Math.round(oldestSeconds),
    missing: missing ?? null,
  }));
  return {
    outbox,
    mails,
    webhooks: webhooks ?? { waiting: 0, oldest_seconds: 0, failed_last_day: 0, disabled_endpoints: 0 },
    runs,
  };
}
