import { type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';
import { wakeSignal, webhookEndpointRun } from '../../workflows/messages';
import { type NewEvent } from './events';

/** A merchant's channel of events: exists from registration. */
export async function openChannel(merchantId: number, inTransaction: Transaction): Promise<void> {
  await execute(inTransaction, 'INSERT INTO channels (merchant_id) VALUES ($1)', [merchantId]);
}

const publishStatement = statement<{ has_webhooks: boolean }>(
  'events_publish',
  `WITH taken AS (
     UPDATE channels SET last_sequence = last_sequence + $2 WHERE merchant_id = $1
     RETURNING last_sequence - $2 AS before, has_webhooks
   ), written AS (
     INSERT INTO events (merchant_id, sequence, account_id, type, resource, dedupe_key, happened_at)
     SELECT $1, taken.before + e.ordinality, (e.value->>'accountId')::int, e.value->>'type', e.value->'resource',
       e.value->>'dedupeKey', (e.value->>'at')::timestamptz
     FROM taken, jsonb_array_elements($3::jsonb) WITH ORDINALITY AS e RETURNING sequence
   )
   SELECT taken.has_webhooks, pg_notify('events', $1::text) FROM taken, (SELECT count(*) FROM written) AS all_written`,
);
// A statement of its own: it sees the webhooks that were made before the channel was free, and costs others nothing.
const wakeStatement = statement(
  'events_wake_webhooks',
  `WITH woken AS (
     UPDATE webhook_wakes SET pending = pending + 1 WHERE merchant_id = $1 RETURNING endpoint_id, pending
   )
   INSERT INTO outbox (workflow, workflow_id, message_id, signal, input, memo, available_at)
   SELECT '${webhookEndpointRun.workflow}', '${webhookEndpointRun.idPrefix}' || token,
     '${webhookEndpointRun.idPrefix}' || token || ':' || gen_random_uuid(), '${wakeSignal}',
     jsonb_build_object('endpointId', id, 'token', token),
     jsonb_build_object('merchantId', merchant_id, 'state', 'delivering', 'requestId', '',
       'summary', 'webhooks of endpoint ' || id), now()
   FROM woken JOIN webhook_endpoints ON id = endpoint_id WHERE pending = 1`,
);

/**
 * Writes events into the transaction of the change they tell of, in order, as its last step: the channel's counter stays
 * locked until the commit, so that places are in commit order. The NOTIFY is delivered with the commit, and the runs of the
 * merchant's webhooks that sleep are promised a word.
 */
export async function publish(inTransaction: Transaction, merchantId: number, events: NewEvent[]): Promise<void> {
  const [channel] = await publishStatement([merchantId, events.length, JSON.stringify(events)], inTransaction);
  if (channel?.has_webhooks) await wakeStatement([merchantId], inTransaction);
}
