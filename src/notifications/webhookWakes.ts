import { type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';

/**
 * The next due time of each webhook endpoint's run. The transaction that publishes an event writes these rows, so they
 * belong to notifications. Webhooks change them through these functions.
 */

/** Adds an endpoint to its merchant's channel. Waits for transactions that are publishing events now. */
export async function openWakes(
  inTransaction: Transaction,
  endpoint: { id: number; merchantId: number; token: string },
): Promise<{ lastSequence: number }> {
  const [channel] = await execute<{ lastSequence: number }>(
    inTransaction,
    `WITH asleep AS (
       INSERT INTO webhook_wakes (endpoint_id, merchant_id, token, pending) VALUES ($1, $2, $3, 0)
     )
     UPDATE channels SET has_webhooks = true WHERE merchant_id = $2 RETURNING last_sequence AS "lastSequence"`,
    [endpoint.id, endpoint.merchantId, endpoint.token],
  );
  return channel ?? { lastSequence: 0 };
}

/** The sequence number of the merchant's last event. */
export async function findLastSequence(inTransaction: Transaction, merchantId: number): Promise<number> {
  const text = 'SELECT last_sequence FROM channels WHERE merchant_id = $1';
  const [channel] = await execute<{ last_sequence: number }>(inTransaction, text, [merchantId]);
  return channel?.last_sequence ?? 0;
}

const dueStatement = statement(
  'webhook_wakes_due',
  'UPDATE webhook_wakes SET next_due_at = least(next_due_at, now()) WHERE endpoint_id = $1',
);

export async function makeDue(inTransaction: Transaction, endpointId: number): Promise<void> {
  await dueStatement([endpointId], inTransaction);
}

const takeOverStatement = statement(
  'webhook_wakes_take_over',
  `UPDATE webhook_wakes SET sender = $2, next_due_at = now() + make_interval(secs => $3) WHERE endpoint_id = $1`,
);

/** Makes `sender` the only round that sends the endpoint's deliveries for this time. An earlier round stops. */
export async function takeOver(endpointId: number, sender: string, seconds: number): Promise<void> {
  await takeOverStatement([endpointId, sender, seconds]);
}

const sleepStatement = statement<{ endpoint_id: number }>(
  'webhook_wakes_sleep',
  `UPDATE webhook_wakes SET pending = 0, next_due_at = now() + make_interval(secs => $3)
   WHERE endpoint_id = $1 AND pending = $2 RETURNING endpoint_id`,
);

/** Sleeps for a time, or until the next event if `seconds` is null. False if an event was published in the meantime. */
export async function sleep(endpointId: number, pending: number, seconds: number | null): Promise<boolean> {
  return (await sleepStatement([endpointId, pending, seconds])).length > 0;
}

// An enabled endpoint stays due while its feature is off, so that it continues after the feature is turned on.
const stopStatement = statement(
  'webhook_wakes_stop',
  `UPDATE webhook_wakes w SET next_due_at = NULL FROM webhook_endpoints e
   WHERE w.endpoint_id = $1 AND w.pending = $2 AND e.id = w.endpoint_id AND NOT e.is_enabled`,
);

/** Ends the wakes of a disabled endpoint. */
export async function stopWakes(endpointId: number, pending: number): Promise<void> {
  await stopStatement([endpointId, pending]);
}
