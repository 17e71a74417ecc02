import { intoOutbox } from '../adapters/postgres/outboxTable';
import { type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';
import { currentTrace } from '../kit/tracing';
import { wakeSignal, webhookEndpointRun } from '../../workflows/messages';
import { type NewEvent, webhookOnlyTypes } from './events';

/** Creates a merchant's event channel, at registration. */
export async function openChannel(merchantId: number, inTransaction: Transaction): Promise<void> {
  await execute(inTransaction, 'INSERT INTO channels (merchant_id) VALUES ($1)', [merchantId]);
}

const publishStatement = statement<{ has_webhooks: boolean }>(
  'events_publish',
  `WITH taken AS (
     UPDATE channels SET last_sequence = last_sequence + CASE WHEN has_webhooks THEN $2 ELSE $4 END::int
     WHERE merchant_id = $1 AND (has_webhooks OR $4::int > 0)
     RETURNING last_sequence - CASE WHEN has_webhooks THEN $2 ELSE $4 END::int AS before, has_webhooks
   ), written AS (
     INSERT INTO events (merchant_id, sequence, account_id, type, resource, dedupe_key, happened_at, traceparent)
     SELECT $1, taken.before + e.ordinality, (e.value->>'accountId')::int, e.value->>'type', e.value->'resource',
       e.value->>'dedupeKey', (e.value->>'at')::timestamptz, $6::text
     FROM taken, jsonb_array_elements(CASE WHEN taken.has_webhooks THEN $3 ELSE $5 END::jsonb) WITH ORDINALITY AS e
     RETURNING sequence
   )
   SELECT taken.has_webhooks, pg_notify('events', $1::text) FROM taken, (SELECT count(*) FROM written) AS all_written`,
);
// A separate statement, so that it sees webhooks that were created while the channel was locked. Merchants without
// webhooks do not need it.
const wakeStatement = statement(
  'events_wake_webhooks',
  `WITH woken AS (
     UPDATE webhook_wakes SET pending = pending + 1, next_due_at = least(next_due_at, now())
     WHERE merchant_id = $1 RETURNING endpoint_id, pending
   )
   ${intoOutbox}
   SELECT '${webhookEndpointRun.workflow}', '${webhookEndpointRun.idPrefix}' || token,
     '${webhookEndpointRun.idPrefix}' || token || ':' || gen_random_uuid(), '${wakeSignal}',
     jsonb_build_object('endpointId', id, 'token', token),
     jsonb_build_object('merchantId', merchant_id, 'state', 'delivering', 'requestId', '',
       'summary', 'webhooks of endpoint ' || id), now(), $2::text
   FROM woken JOIN webhook_endpoints ON id = endpoint_id WHERE pending = 1`,
);

/**
 * Writes events in the transaction of the change, in order, as its last step. The channel's counter stays locked until
 * the commit, so sequence numbers are in commit order. NOTIFY is delivered with the commit, and the outbox wakes idle
 * webhook runs. Types that only webhooks receive are written only for a merchant that has webhooks.
 */
export async function publish(inTransaction: Transaction, merchantId: number, events: NewEvent[]): Promise<void> {
  const forAll = events.filter(({ type }) => !webhookOnlyTypes.includes(type));
  const values = [merchantId, events.length, JSON.stringify(events), forAll.length, JSON.stringify(forAll)];
  const traceparent = currentTrace();
  const [channel] = await publishStatement([...values, traceparent], inTransaction);
  if (channel?.has_webhooks) await wakeStatement([merchantId, traceparent], inTransaction);
}

/** Clients have seen events with numbers of the lost time. Later events have higher numbers, so that no client skips them. */
export async function skipEvents(inTransaction: Transaction, count: number): Promise<void> {
  await execute(inTransaction, 'UPDATE channels SET last_sequence = last_sequence + $1', [count]);
}
