import { randomBytes } from 'node:crypto';
import {
  webhookAgainWorkflowId,
  webhookEndpointWorkflowId,
  type GivenUp,
  type NextDelivery,
} from '../../../workflows/messages';
import { transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { startWorkflow, temporalAnswers } from '../../adapters/temporal';
import { type WebhookFormat } from '../../adapters/webhookSender';
import { writeAudit } from '../../audit/service';
import { queueMail } from '../../mail/service';
import { WebhookDelivery, WebhookEndpoint } from '../model';

interface QueueRow {
  merchant_id: number;
  format: WebhookFormat;
  event_types: string[];
  cursor: number;
  pending: number;
  delivery_id: number | null;
  sequence: number;
  type: string;
  attempts: number;
  step: number;
}

/** Events wait while the merchant has webhooks turned off, as long as they are kept. */
const isSwitchedOn = `NOT EXISTS (SELECT FROM feature_flags f
  WHERE f.merchant_id = e.merchant_id AND f.name = 'webhooks' AND NOT f.enabled)`;

const queueStatement = statement<QueueRow>(
  'webhooks_queue',
  `SELECT e.merchant_id, e.format, e.event_types, e.cursor, w.pending, d.id AS delivery_id, d.sequence, d.type,
     d.attempts, d.step
   FROM webhook_endpoints e JOIN webhook_wakes w ON w.endpoint_id = e.id
   LEFT JOIN webhook_deliveries d ON d.endpoint_id = e.id AND d.state = 'pending' AND d.is_queued
   WHERE e.id = $1 AND e.is_enabled AND ${isSwitchedOn}`,
);
// Places are in commit order, so what is not seen up to the last one seen will never be there.
const searchStatement = statement<{ last: number | null; sequence: number | null; type: string }>(
  'webhooks_search',
  `SELECT seen.last, found.sequence, found.type
   FROM (SELECT max(sequence) AS last FROM events WHERE merchant_id = $1) AS seen
   LEFT JOIN LATERAL (
     SELECT sequence, type FROM events
     WHERE merchant_id = $1 AND sequence > $2 AND (cardinality($3::text[]) = 0 OR type = ANY($3))
     ORDER BY sequence LIMIT 1
   ) AS found ON true`,
);
const takeStatement = statement(
  'webhooks_take',
  `WITH moved AS (
     UPDATE webhook_endpoints SET cursor = $2 WHERE id = $1 AND cursor < $2 AND is_enabled RETURNING id, merchant_id
   )
   INSERT INTO webhook_deliveries (webhook_id, merchant_id, endpoint_id, sequence, type, is_queued)
   SELECT $3, merchant_id, id, $2, $4, true FROM moved`,
);
const passStatement = statement(
  'webhooks_pass',
  'UPDATE webhook_endpoints SET cursor = $2 WHERE id = $1 AND cursor < $2 AND is_enabled',
);
const sleepStatement = statement<{ endpoint_id: number }>(
  'webhooks_sleep',
  'UPDATE webhook_wakes SET pending = 0 WHERE endpoint_id = $1 AND pending = $2 RETURNING endpoint_id',
);

/**
 * What an endpoint is to hear of next: the delivery that is in hand, or else the first event after its place that it
 * wants. With none it falls asleep, unless something was published since it looked.
 */
export async function nextDelivery(endpointId: number): Promise<NextDelivery> {
  for (;;) {
    const [queue] = await queueStatement([endpointId]);
    if (!queue) return { state: 'stopped' };
    if (queue.delivery_id !== null) return inHand(queue, queue.delivery_id);
    const [found] = await searchStatement([queue.merchant_id, queue.cursor, queue.event_types]);
    if (found && found.sequence !== null) {
      await takeStatement([endpointId, found.sequence, newWebhookId(queue.format), found.type]);
      continue;
    }
    if (found && found.last !== null) await passStatement([endpointId, found.last]);
    const asleep = await sleepStatement([endpointId, queue.pending]);
    if (asleep.length > 0) return { state: 'idle' };
  }
}

/** Three days were in vain, or the receiver is gone: the endpoint is turned off, and the merchant is told. */
export function giveUpDelivery({ deliveryId, reason }: GivenUp): Promise<void> {
  return transaction(async (inTransaction) => {
    const known = await WebhookDelivery.findByPk(deliveryId, { transaction: inTransaction });
    const endpoint = await WebhookEndpoint.findByPk(known?.endpointId ?? 0, { transaction: inTransaction, lock: true });
    const delivery = await known?.reload({ transaction: inTransaction });
    if (!endpoint || delivery?.state !== 'pending') return;
    const { merchantId } = endpoint;
    const settledAt = new Date();
    await delivery.update({ state: 'failed', settledAt, nextAttemptAt: null }, { transaction: inTransaction });
    if (!endpoint.isEnabled) return;
    await endpoint.update(
      { isEnabled: false, disabledReason: reason, disabledAt: settledAt },
      { transaction: inTransaction },
    );
    const [merchant] = await execute<{ email: string }>(inTransaction, 'SELECT email FROM accounts WHERE id = $1', [
      merchantId,
    ]);
    const { url } = endpoint;
    if (merchant) {
      const mail = { merchantId, accountId: merchantId, to: merchant.email };
      await queueMail(inTransaction, { ...mail, template: 'webhook_disabled', values: { url, reason } });
    }
    const deed = { action: 'webhook.disable', objectType: 'webhook', objectId: endpoint.id } as const;
    await writeAudit(inTransaction, { merchantId, actorAccountId: merchantId, ...deed });
  });
}

interface Forgotten {
  id: number;
  token: string;
  merchant_id: number;
  delivery_id: number | null;
  webhook_id: string;
  attempts: number;
}

const forgottenStatement = statement<Forgotten>(
  'webhooks_forgotten',
  `SELECT e.id, e.token, e.merchant_id, NULL::bigint AS delivery_id, '' AS webhook_id, 0 AS attempts FROM webhook_endpoints e
   WHERE e.is_enabled AND ${isSwitchedOn} AND (
     EXISTS (SELECT FROM webhook_deliveries d WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.is_queued
       AND d.created_at < now() - make_interval(secs => $1))
     OR EXISTS (SELECT FROM events v WHERE v.merchant_id = e.merchant_id AND v.sequence > e.cursor
       AND v.created_at < now() - make_interval(secs => $1)))
   UNION ALL
   SELECT e.id, e.token, e.merchant_id, d.id, d.webhook_id, d.attempts
   FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
   WHERE d.state = 'pending' AND NOT d.is_queued AND d.created_at < now() - make_interval(secs => $1)
   LIMIT $2`,
);
const forgottenAfterSeconds = 60;
const forgottenAtOnce = 1_000;

/**
 * The net below the outbox: starts the runs that ought to be there, should the workflow server have lost them. One that
 * runs stays as it is, and hears nothing.
 */
export async function startForgottenRuns(): Promise<void> {
  const rows = await forgottenStatement([forgottenAfterSeconds, forgottenAtOnce]);
  for (const { id: endpointId, token, merchant_id: merchantId, delivery_id: deliveryId, ...row } of rows) {
    if (!temporalAnswers()) return;
    const labels = { merchantId, state: 'delivering', requestId: '', summary: `webhooks of endpoint ${endpointId}` };
    if (deliveryId === null) {
      await startWorkflow('webhookEndpoint', webhookEndpointWorkflowId(token), { endpointId, token }, labels);
      continue;
    }
    const { webhook_id: webhookId, attempts } = row;
    const input = { deliveryId, attempts, step: 0, isSingle: true } as const;
    await startWorkflow('webhookDelivery', webhookAgainWorkflowId(token, webhookId, attempts + 1), input, labels);
  }
}

/** What a receiver knows a delivery by. */
export function newWebhookId(format: WebhookFormat): string {
  return `${format === 'form' ? 'WHE-' : 'msg_'}${randomBytes(16).toString('hex')}`;
}

function inHand(
  { merchant_id: merchantId, sequence, type, attempts, step }: QueueRow,
  deliveryId: number,
): NextDelivery {
  return { state: 'found', deliveryId, merchantId, sequence, type, attempts, step };
}
