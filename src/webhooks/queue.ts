import { type WebhookRound } from '../../workflows/messages';
import { statement } from '../adapters/postgres/statement';
import { type WebhookFormat } from '../adapters/webhookSender';
import { sleep, stopWakes } from '../notifications/webhookWakes';

/** An endpoint with all data for sending. A round reads it repeatedly, so that changes take effect soon. */
export interface SendingEndpoint {
  id: number;
  merchant_id: number;
  url: string;
  format: WebhookFormat;
  event_types: string[];
  cursor: number;
  sealed_secret: Buffer;
  sealed_previous_secret: Buffer | null;
  previous_secret_lives: boolean;
  /** True if the endpoint is enabled and its merchant has the feature `webhooks` turned on. */
  is_on: boolean;
  pending: number;
}

export interface DueDelivery {
  id: number;
  webhook_id: string;
  endpoint_id: number;
  merchant_id: number;
  sequence: number | null;
  account_id: number | null;
  type: string;
  step: number;
  is_queued: boolean;
  created_at: Date;
}

/** The prefix of the `webhook-id` of a delivery. */
export const webhookIdPrefixes: Record<WebhookFormat, string> = { standard: 'msg_', form: 'WHE-' };

/** A failed delivery delays the later ones of its account for this long. */
const holdSeconds = 600;
/**
 * The number of events that become deliveries together, and the limit of deliveries that wait for their first attempt.
 */
const queuedAtOnce = 500;
const mostFirstAttempts = 2_000;
/** After this time, a run checks delayed deliveries again. */
const heldBackLookMs = 10_000;

/** While the feature is turned off, events wait as long as they are stored. */
export const isSwitchedOn = (row: string) => `NOT EXISTS (SELECT FROM feature_flags f
  WHERE f.merchant_id = ${row}.merchant_id AND f.name = 'webhooks' AND NOT f.enabled)`;

const endpointStatement = statement<SendingEndpoint>(
  'webhooks_endpoint',
  `SELECT e.id, e.merchant_id, e.url, e.format, e.event_types, e.cursor, e.sealed_secret, e.sealed_previous_secret,
     coalesce(e.previous_secret_ends_at > now(), false) AS previous_secret_lives, e.is_enabled AND ${isSwitchedOn('e')} AS is_on,
     w.pending
   FROM webhook_endpoints e JOIN webhook_wakes w ON w.endpoint_id = e.id
   WHERE e.id = $1 AND w.sender = $2`,
);

/** Undefined if the endpoint is deleted, or if another round has taken over. */
export async function findSendingEndpoint(endpointId: number, sender: string): Promise<SendingEndpoint | undefined> {
  const [endpoint] = await endpointStatement([endpointId, sender]);
  return endpoint;
}

// Sequence numbers are in commit order, so no later event has a number below the highest one seen.
const queueStatement = statement<{ count: number }>(
  'webhooks_take',
  `WITH room AS (
     SELECT least($5, $6 - count(*)) AS places FROM (
       SELECT FROM webhook_deliveries
       WHERE endpoint_id = $1 AND state = 'pending' AND is_queued AND step = 0 LIMIT $6
     ) AS fresh
   ), found AS MATERIALIZED (
     SELECT sequence, type, account_id FROM events
     WHERE merchant_id = $2 AND sequence > $3 AND (cardinality($4::text[]) = 0 OR type = ANY($4))
     ORDER BY sequence LIMIT (SELECT places FROM room)
   ), last AS (
     SELECT CASE WHEN (SELECT count(*) FROM found) < (SELECT places FROM room)
       THEN (SELECT max(sequence) FROM events WHERE merchant_id = $2)
       ELSE (SELECT max(sequence) FROM found) END AS sequence
   ), moved AS (
     UPDATE webhook_endpoints e SET cursor = last.sequence FROM last
     WHERE e.id = $1 AND e.cursor = $3 AND last.sequence > $3 AND e.is_enabled
     RETURNING e.id, e.merchant_id, e.format
   ), written AS (
     INSERT INTO webhook_deliveries (webhook_id, merchant_id, endpoint_id, sequence, about_account_id, type, is_queued)
     SELECT CASE moved.format WHEN 'form' THEN '${webhookIdPrefixes.form}' ELSE '${webhookIdPrefixes.standard}' END
         || replace(gen_random_uuid()::text, '-', ''),
       moved.merchant_id, moved.id, found.sequence, found.account_id, found.type, true
     FROM moved CROSS JOIN found ORDER BY found.sequence
     ON CONFLICT (endpoint_id, sequence) DO NOTHING
     RETURNING id
   )
   SELECT count(*)::int AS count FROM written`,
);

/**
 * Creates deliveries for the next events that match the endpoint's filter, and skips the others. Returns the number of
 * created deliveries.
 */
export async function queueEvents(endpoint: SendingEndpoint): Promise<number> {
  const { id, merchant_id: merchantId, cursor, event_types: types } = endpoint;
  const [queued] = await queueStatement([id, merchantId, cursor, types, queuedAtOnce, mostFirstAttempts]);
  return queued?.count ?? 0;
}

// A first attempt waits only for earlier deliveries of its account that failed recently: earlier first attempts are
// claimed before it or together with it. A retry waits for all earlier deliveries of its account.
const claimStatement = statement<DueDelivery>(
  'webhooks_claim',
  `SELECT d.id, d.webhook_id, d.endpoint_id, d.merchant_id, d.sequence, d.about_account_id AS account_id, d.type, d.step, d.is_queued,
     d.created_at
   FROM webhook_deliveries d
   WHERE d.endpoint_id = $1 AND d.state = 'pending' AND d.next_attempt_at <= now() AND (d.step > 0) = $2
     AND (NOT d.is_queued OR $3)
     AND CASE WHEN d.is_queued THEN d.about_account_id <> ALL($4::int[]) ELSE d.id <> ALL($5::bigint[]) END
     AND (NOT d.is_queued OR d.scheduled_for IS NOT NULL OR NOT EXISTS (
       SELECT FROM webhook_deliveries b
       WHERE b.endpoint_id = d.endpoint_id AND b.about_account_id = d.about_account_id AND b.sequence < d.sequence
         AND b.state = 'pending' AND b.is_queued AND (b.step > 0 OR $2)
         AND (b.first_failed_at IS NULL OR b.first_failed_at > now() - make_interval(secs => $7))))
   ORDER BY d.is_queued, d.sequence LIMIT $6`,
);

interface Claim {
  isRetry: boolean;
  /** Deliveries in progress: the accounts of ordered ones, and the ids of those without an order. */
  accountIds: number[];
  singleIds: number[];
  limit: number;
}

/** Returns the deliveries that may be sent now, the earliest event first. */
export function claimDue(endpoint: SendingEndpoint, claim: Claim): Promise<DueDelivery[]> {
  const { isRetry, accountIds, singleIds, limit } = claim;
  return claimStatement([endpoint.id, isRetry, endpoint.is_on, accountIds, singleIds, limit, holdSeconds]);
}

const dropStatement = statement(
  'webhooks_drop',
  `UPDATE webhook_deliveries SET state = 'dropped', error = 'event_gone', settled_at = now(), next_attempt_at = NULL
   WHERE id = ANY($1) AND state = 'pending'`,
);

/** Drops deliveries whose event is no longer kept, or whose account is erased. */
export async function dropDeliveries(deliveries: DueDelivery[]): Promise<void> {
  if (deliveries.length > 0) await dropStatement([deliveries.map(({ id }) => id)]);
}

const dueStatement = statement<{ due_in_ms: number | null; has_held: boolean }>(
  'webhooks_due',
  `SELECT (SELECT 1000 * extract(epoch FROM min(next_attempt_at) - now())::float8 FROM webhook_deliveries
       WHERE endpoint_id = $1 AND state = 'pending' AND is_queued AND next_attempt_at > now()) AS due_in_ms,
     EXISTS (SELECT FROM webhook_deliveries
       WHERE endpoint_id = $1 AND state = 'pending' AND is_queued AND next_attempt_at <= now()) AS has_held`,
);

/**
 * Decides the next step of the run when nothing can be sent now. Undefined if an event was published since the endpoint
 * was read.
 */
export async function planNextRound(endpoint: SendingEndpoint, failure?: string): Promise<WebhookRound | undefined> {
  if (!endpoint.is_on) {
    await stopWakes(endpoint.id, endpoint.pending);
    return { state: 'stopped' };
  }
  const [due] = await dueStatement([endpoint.id]);
  const waits = [due?.due_in_ms ?? Infinity, due?.has_held ? heldBackLookMs : Infinity];
  const dueInMs = Math.max(1, Math.ceil(Math.min(...waits)));
  const isIdle = dueInMs === Infinity;
  if (!(await sleep(endpoint.id, endpoint.pending, isIdle ? null : dueInMs / 1000))) return undefined;
  if (isIdle) return { state: 'idle' };
  return { state: 'retrying', dueInMs, ...(failure !== undefined && { failure }) };
}
