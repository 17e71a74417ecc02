import { transaction, type Transaction } from '../adapters/postgres/connection';
import { onCommit } from '../adapters/postgres/requestWork';
import { statement } from '../adapters/postgres/statement';
import { countWebhookAttempts } from '../adapters/processMetrics';
import { baseUrl } from '../adapters/settings';
import { type WebhookReply } from '../adapters/webhookSender';
import { audit } from '../audit/audit';
import { queueMail } from '../mail/mail';
import { type Attempt } from './attempts';

/** Records the results of attempts: schedules retries, settles deliveries, and disables endpoints that keep failing. */

const second = 1;
const minute = 60 * second;
const hour = 60 * minute;
/** The waits between the attempts of one delivery, three days in total. */
const waitsInSeconds: readonly number[] = [
  5 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  12 * hour,
  12 * hour,
  12 * hour,
  12 * hour,
  6 * hour + 23 * minute + 55 * second,
];
const longestWaitSeconds = 12 * hour;
/**
 * A delivery is given up this long after its first failed attempt. The failures of an endpoint are counted over the
 * same time.
 */
const trialSeconds = 72 * hour;
const goneStatus = 410;

/** An endpoint is disabled when this share of its settled deliveries was given up within `trialSeconds`. */
const failingShare = 0.9;

const lockStatement = statement<EndpointRow>(
  'webhooks_lock_endpoint',
  'SELECT id, merchant_id, url, is_enabled FROM webhook_endpoints WHERE id = $1 FOR NO KEY UPDATE',
);
interface EndpointRow {
  id: number;
  merchant_id: number;
  url: string;
  is_enabled: boolean;
}

const recordStatement = statement<{ state: string; is_queued: boolean }>(
  'webhooks_record',
  `UPDATE webhook_deliveries d SET attempts = d.attempts + 1,
     step = CASE WHEN d.scheduled_for > now() THEN d.step ELSE d.step + 1 END,
     response_code = t.status, response_body = t.kept_body, error = t.error,
     attempt_log = (CASE WHEN jsonb_array_length(d.attempt_log) < 50 THEN d.attempt_log ELSE d.attempt_log - 0 END)
       || t.logged,
     first_failed_at = CASE WHEN t."isTaken" THEN d.first_failed_at ELSE t.first_failed_at END,
     scheduled_for = NULL,
     state = CASE WHEN t."isTaken" THEN 'delivered' WHEN t.is_last THEN 'failed' ELSE 'pending' END,
     settled_at = CASE WHEN t."isTaken" OR t.is_last THEN now() END,
     next_attempt_at = CASE WHEN NOT t."isTaken" AND NOT t.is_last THEN least(
       greatest(
         CASE WHEN d.scheduled_for > now() THEN d.scheduled_for ELSE now() + make_interval(secs => t."waitSeconds") END,
         now() + make_interval(secs => t."retryAfterSeconds")),
       t.first_failed_at + make_interval(secs => $2)) END
   FROM (
     SELECT a.*,
       -- A late response can repeat personal data that was sent before the account was erased, so it is not kept.
       CASE WHEN EXISTS (SELECT FROM accounts x WHERE x.id = w.about_account_id AND x.erasing_at IS NOT NULL)
         THEN '' ELSE a.body END AS kept_body,
       coalesce(w.first_failed_at, now()) AS first_failed_at,
       a."isGone" OR NOT w.is_queued OR w.first_failed_at + make_interval(secs => $2) <= now() IS TRUE AS is_last
     FROM jsonb_to_recordset($1::jsonb) AS a (id bigint, "isTaken" boolean, "isGone" boolean, status int, body text,
       error text, logged jsonb, "waitSeconds" float8, "retryAfterSeconds" float8)
     JOIN webhook_deliveries w ON w.id = a.id
   ) AS t
   WHERE d.id = t.id AND d.state = 'pending'
   RETURNING d.state, d.is_queued`,
);
const countStatement = statement<{ delivered: number; given_up: number }>(
  'webhooks_count_outcomes',
  `WITH counted AS (
     INSERT INTO webhook_outcomes (endpoint_id, hour_starts_at, delivered, given_up)
     VALUES ($1, date_trunc('hour', now()), $2, $3)
     ON CONFLICT (endpoint_id, hour_starts_at) DO UPDATE
       SET delivered = webhook_outcomes.delivered + $2, given_up = webhook_outcomes.given_up + $3
     RETURNING hour_starts_at, delivered, given_up
   ), others AS (
     SELECT o.delivered, o.given_up FROM webhook_outcomes o
     WHERE $3 > 0 AND o.endpoint_id = $1 AND o.hour_starts_at > now() - make_interval(secs => $4)
       AND o.hour_starts_at <> date_trunc('hour', now())
   )
   SELECT sum(delivered)::int AS delivered, sum(given_up)::int AS given_up
   FROM (SELECT delivered, given_up FROM counted UNION ALL SELECT delivered, given_up FROM others) AS hours`,
);

/**
 * Writes the results of attempts for one endpoint's deliveries. A failed delivery is scheduled again. An endpoint that
 * answers 410, or for which almost every delivery was given up within three days, is disabled. The endpoint is always
 * locked before its deliveries.
 */
async function recordAttempts(endpointId: number, attempts: Attempt[]): Promise<void> {
  await transaction(async (inTransaction) => {
    const [endpoint] = await lockStatement([endpointId], inTransaction);
    if (!endpoint) return;
    const rows = await recordStatement([JSON.stringify(attempts.map(presentAttempt)), trialSeconds], inTransaction);
    const queued = rows.filter(({ is_queued: isQueued }) => isQueued);
    onCommit(inTransaction, () => countOutcomes(queued));
    const delivered = queued.filter(({ state }) => state === 'delivered').length;
    const givenUp = queued.filter(({ state }) => state === 'failed').length;
    if (delivered + givenUp === 0) return;
    const [counts] = await countStatement([endpointId, delivered, givenUp, trialSeconds], inTransaction);
    if (givenUp === 0 || !endpoint.is_enabled) return;
    const isGone = attempts.some(({ delivery, reply }) => delivery.is_queued && reply.status === goneStatus);
    if (isGone) await turnOff(endpoint, 'gone', inTransaction);
    else if (counts && counts.given_up >= failingShare * (counts.given_up + counts.delivered))
      await turnOff(endpoint, 'failing', inTransaction);
  });
}

/** Test messages are not counted. Each has one attempt, and the console shows its result. */
function countOutcomes(rows: readonly { state: string }[]): void {
  const inState = (state: string) => rows.filter((row) => row.state === state).length;
  countWebhookAttempts('delivered', inState('delivered'));
  countWebhookAttempts('retried', inState('pending'));
  countWebhookAttempts('given_up', inState('failed'));
}

/**
 * Writes attempts that end at about the same time together. Each caller waits for the write that contains its attempt;
 * at most one write runs at a time.
 */
export function createRecorder(endpointId: number): (attempt: Attempt) => Promise<void> {
  let waiting: Attempt[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const write = () => {
    const attempts = waiting;
    waiting = [];
    next = undefined;
    return recordAttempts(endpointId, attempts);
  };
  return (attempt) => {
    waiting.push(attempt);
    if (next) return next;
    next = last.then(write);
    last = next.catch(() => undefined);
    return next;
  };
}

export function isDelivered({ status }: WebhookReply): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The status code, or the reason for the missing response. Operators and the merchant read it. */
export function reasonOf({ status, error }: WebhookReply): string {
  return status === null ? (error ?? 'error') : String(status);
}

function presentAttempt({ delivery, atSeconds, reply }: Attempt) {
  const { status, body, error, durationMs, retryAfterSeconds = 0 } = reply;
  return {
    id: delivery.id,
    isTaken: isDelivered(reply),
    isGone: status === goneStatus,
    status,
    body,
    error,
    logged: { at: atSeconds, duration_ms: durationMs, response_code: status, error },
    waitSeconds: waitsInSeconds[delivery.step] ?? longestWaitSeconds,
    retryAfterSeconds: Math.min(retryAfterSeconds, longestWaitSeconds),
  };
}

const turnOffStatement = statement<{ email: string }>(
  'webhooks_turn_off',
  `WITH off AS (
     UPDATE webhook_endpoints SET is_enabled = false, disabled_reason = $2, disabled_at = now()
     WHERE id = $1 RETURNING merchant_id
   )
   SELECT a.email FROM off JOIN accounts a ON a.id = off.merchant_id`,
);

/** Disables the endpoint and mails the merchant. */
async function turnOff(endpoint: EndpointRow, reason: 'failing' | 'gone', inTransaction: Transaction): Promise<void> {
  const { id, merchant_id: merchantId, url } = endpoint;
  const [merchant] = await turnOffStatement([id, reason], inTransaction);
  if (merchant) {
    const mail = { merchantId, accountId: merchantId, to: merchant.email };
    const values = { url, reason, page: `${baseUrl}/console/settings/webhooks/${id}` };
    await queueMail(inTransaction, { ...mail, template: 'webhook_disabled', values });
  }
  const actor = { merchantId, accountId: merchantId };
  await audit(inTransaction, actor, { action: 'webhook.disable', object: ['webhook', id] });
}
