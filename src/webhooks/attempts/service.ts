import { type AttemptInput, type AttemptOutcome } from '../../../workflows/messages';
import { statement } from '../../adapters/postgres/statement';
import { unseal } from '../../adapters/sealing';
import { sendWebhook, type WebhookReply } from '../../adapters/webhookSender';
import { isFeatureOff } from '../../features/service';
import { unixSeconds } from '../../kit/time';
import { type AddressedMessage, readEvents } from '../../notifications/service';
import { WebhookDelivery, type WebhookEndpoint } from '../model';
import { secretPurpose } from '../service';
import { presentForm } from './presenter';

const goneStatus = 410;

/**
 * One attempt to deliver, kept in the log. It may be made twice when a process dies in the middle, under one webhook id;
 * one that is in the log is not made again.
 */
export async function attemptDelivery(input: AttemptInput): Promise<AttemptOutcome> {
  const delivery = await WebhookDelivery.findByPk(input.deliveryId, { include: 'endpoint' });
  const endpoint = delivery?.endpoint;
  if (!delivery || !endpoint) return { outcome: 'stopped' };
  if (delivery.attempts >= input.attempt || delivery.state !== 'pending') return knownOutcome(delivery);
  const isOff = async () => !endpoint.isEnabled || (await isFeatureOff(endpoint.merchantId, 'webhooks'));
  if (delivery.isQueued && (await isOff())) return { outcome: 'stopped' };
  const event = await findEvent(delivery);
  if (!event) {
    await dropStatement([delivery.id]);
    return { outcome: 'dropped' };
  }
  const { url, format } = endpoint;
  const id = delivery.webhookId;
  const payload = format === 'form' ? presentForm(id, event.message, event.accountId) : event.message;
  const reply = await sendWebhook({ url, format, id, secrets: secretsOf(endpoint), payload });
  await record(delivery, input, reply);
  if (isTaken(reply.status)) return { outcome: 'delivered' };
  return failed(reply.status, reply.error);
}

const recordStatement = statement(
  'webhooks_attempted',
  `UPDATE webhook_deliveries SET attempts = $2, step = $3, response_code = $5, response_body = $6, error = $7,
     attempt_log = (CASE WHEN jsonb_array_length(attempt_log) < 50 THEN attempt_log ELSE attempt_log - 0 END) || $8::jsonb,
     state = CASE WHEN $4 THEN 'delivered' WHEN is_queued THEN 'pending' ELSE 'failed' END,
     settled_at = CASE WHEN $4 OR NOT is_queued THEN now() END,
     next_attempt_at = CASE WHEN is_queued AND NOT $4 THEN now() + make_interval(secs => $9) END
   WHERE id = $1 AND attempts < $2 AND state = 'pending'`,
);
const dropStatement = statement(
  'webhooks_dropped',
  `UPDATE webhook_deliveries SET state = 'dropped', error = 'event_gone', settled_at = now(), next_attempt_at = NULL
   WHERE id = $1 AND state = 'pending'`,
);

async function record(delivery: WebhookDelivery, input: AttemptInput, reply: WebhookReply): Promise<void> {
  const { status, body, error, durationMs } = reply;
  const logged = { at: unixSeconds(new Date()), duration_ms: durationMs, response_code: status, error };
  const retryInSeconds = input.retryInMs === undefined ? null : input.retryInMs / 1000;
  await recordStatement([
    delivery.id,
    input.attempt,
    input.step,
    isTaken(status),
    status,
    body,
    error,
    JSON.stringify(logged),
    retryInSeconds,
  ]);
}

/** As it is told now; undefined once it is no longer kept, or the account that it tells of is erased. */
async function findEvent(delivery: WebhookDelivery): Promise<AddressedMessage | undefined> {
  if (delivery.sequence === null) return testEvent(delivery);
  const { merchantId, sequence } = delivery;
  const [event] = await readEvents({ merchantId }, sequence - 1, 1);
  return event?.message.id === sequence ? event : undefined;
}

const merchantStatement = statement<{ uuid: string }>('webhooks_merchant', 'SELECT uuid FROM accounts WHERE id = $1');

/** Tells of nothing, so it has no place among the events: 0. */
async function testEvent({ merchantId, endpointId, type, createdAt }: WebhookDelivery): Promise<AddressedMessage> {
  const [merchant] = await merchantStatement([merchantId]);
  const uuid = merchant?.uuid ?? '';
  const timestamp = unixSeconds(createdAt);
  const resource = { webhook_id: endpointId };
  const message = { id: 0, type, timestamp, merchant_uuid: uuid, account_uuid: uuid, resource };
  return { accountId: merchantId, message };
}

/** Those that live. A key that changed is no failure of the receiver's: the attempt is made again. */
function secretsOf(endpoint: WebhookEndpoint): string[] {
  const { sealedSecret, sealedPreviousSecret, previousSecretEndsAt } = endpoint;
  const isOldAlive =
    sealedPreviousSecret !== null && previousSecretEndsAt !== null && previousSecretEndsAt > new Date();
  return [sealedSecret, ...(isOldAlive ? [sealedPreviousSecret] : [])].map((sealed) => {
    const secret = unseal(secretPurpose, sealed);
    if (secret === undefined) throw new Error('a webhook secret was sealed with another key');
    return secret;
  });
}

/** What the log says of it: another process was as far as this one. */
function knownOutcome({ state, responseCode, error }: WebhookDelivery): AttemptOutcome {
  if (state === 'delivered' || state === 'dropped') return { outcome: state };
  return failed(responseCode, error);
}

function failed(status: number | null, error: string | null): AttemptOutcome {
  return {
    outcome: 'failed',
    reason: status === null ? (error ?? 'error') : String(status),
    isGone: status === goneStatus,
  };
}

function isTaken(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
