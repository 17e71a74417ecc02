import { type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';
import { type NewEvent } from './events';

/** A merchant's channel of events: exists from registration. */
export async function openChannel(merchantId: number, inTransaction: Transaction): Promise<void> {
  await execute(inTransaction, 'INSERT INTO channels (merchant_id) VALUES ($1)', [merchantId]);
}

const publishStatement = statement(
  'events_publish',
  `WITH taken AS (
     UPDATE channels SET last_sequence = last_sequence + $2 WHERE merchant_id = $1 RETURNING last_sequence - $2 AS before
   ), written AS (
     INSERT INTO events (merchant_id, sequence, account_id, type, resource, dedupe_key, happened_at)
     SELECT $1, taken.before + e.ordinality, (e.value->>'accountId')::int, e.value->>'type', e.value->'resource',
       e.value->>'dedupeKey', (e.value->>'at')::timestamptz
     FROM taken, jsonb_array_elements($3::jsonb) WITH ORDINALITY AS e RETURNING sequence
   )
   SELECT pg_notify('events', $1::text) FROM (SELECT count(*) FROM written) AS all_written`,
);

/**
 * Writes events into the transaction of the change they tell of, in order, as its last step: the channel's counter stays
 * locked until the commit, so that places are in commit order. The NOTIFY is delivered with the commit.
 */
export async function publish(inTransaction: Transaction, merchantId: number, events: NewEvent[]): Promise<void> {
  await publishStatement([merchantId, events.length, JSON.stringify(events)], inTransaction);
}
