import { randomBytes } from 'node:crypto';
import { fn } from 'sequelize';
import { type z } from 'zod';
import { getOwned, transaction, type Transaction } from '../adapters/postgres/connection';
import { isAtLimit } from '../adapters/postgres/limits';
import { execute } from '../adapters/postgres/statement';
import { faultOfUrl } from '../adapters/publicAddresses';
import { seal } from '../adapters/sealing';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { findLastSequence, openWakes } from '../notifications/webhookWakes';
import { unixSeconds } from '../kit/time';
import { neverSent } from '../notifications/events';
import { WebhookDelivery, WebhookEndpoint } from './webhooks.model';
import { presentWebhook } from './webhooks.presenter';
import { enqueueWake, withWake } from './wakes';
import { type CreateWebhookBody, type UpdateWebhookBody } from './webhooks.schemas';

export { findWebhookFaults } from './faults.model';

type UpdateInput = z.output<typeof UpdateWebhookBody>;

const mostEndpoints = 20;
const previousSecretSeconds = 86_400;
/** The purpose under which the secrets of endpoints are sealed. */
export const secretPurpose = 'webhook';

/** A new endpoint receives the events that happen from now on. */
export async function createWebhook(
  caller: Caller,
  input: z.output<typeof CreateWebhookBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  refuseAddress(input.url);
  const secret = newSecret();
  return transaction(async (inTransaction) => {
    if (await isAtLimit(WebhookEndpoint, { merchantId, max: mostEndpoints }, inTransaction))
      throw new AppError('webhook_limit_reached');
    const isEnabled = input.enabled ?? true;
    const endpoint = await WebhookEndpoint.create(
      {
        merchantId,
        token: randomBytes(8).toString('hex'),
        url: input.url,
        eventTypes: [...new Set(input.events)],
        format: input.format,
        description: input.description ?? '',
        ...stateOf(isEnabled),
        sealedSecret: seal(secretPurpose, secret),
        cursor: 0,
      },
      { transaction: inTransaction },
    );
    await audit(inTransaction, caller, { action: 'webhook.create', object: ['webhook', endpoint.id], requestId });
    await joinChannel(endpoint, inTransaction);
    return { ...present(endpoint), secret };
  });
}

export async function listWebhooks(caller: Caller) {
  const endpoints = await WebhookEndpoint.findAll({ where: { merchantId: caller.merchantId }, order: ['id'] });
  return { total: endpoints.length, collection: endpoints.map(present) };
}

export async function getWebhook(caller: Caller, endpointId: number) {
  return present(await getEndpoint(caller, endpointId));
}

/**
 * A new URL is tried at once with all pending deliveries. An endpoint that is enabled again continues where it stopped.
 */
export async function updateWebhook(
  caller: Caller,
  endpointId: number,
  input: UpdateInput,
  { requestId }: RequestFacts,
) {
  if (input.url !== undefined) refuseAddress(input.url);
  return withWake(async (inTransaction) => {
    const endpoint = await getEndpoint(caller, endpointId, inTransaction);
    const isEnabled = input.enabled ?? endpoint.isEnabled;
    const isTurned = isEnabled !== endpoint.isEnabled;
    const isMoved = input.url !== undefined && input.url !== endpoint.url;
    await endpoint.update(
      {
        url: input.url ?? endpoint.url,
        eventTypes: input.events ? [...new Set(input.events)] : endpoint.eventTypes,
        format: input.format ?? endpoint.format,
        description: input.description ?? endpoint.description,
        ...(isTurned && stateOf(isEnabled)),
        updatedAt: new Date(),
      },
      { transaction: inTransaction },
    );
    // Before the wake: every change takes its place in the audit log first, and then its place among the events.
    await audit(inTransaction, caller, { action: 'webhook.update', object: ['webhook', endpointId], requestId });
    if (isTurned && isEnabled) await resume(endpoint, input.resume ?? 'missed', inTransaction);
    else if (isMoved) await tryAllNow(endpoint, inTransaction);
    return { wake: await enqueueWake(inTransaction, endpoint), result: present(endpoint) };
  });
}

export async function deleteWebhook(caller: Caller, endpointId: number, { requestId }: RequestFacts) {
  return withWake(async (inTransaction) => {
    const endpoint = await getEndpoint(caller, endpointId, inTransaction);
    await audit(inTransaction, caller, { action: 'webhook.delete', object: ['webhook', endpointId], requestId });
    const wake = await enqueueWake(inTransaction, endpoint);
    await endpoint.destroy({ transaction: inTransaction });
    return { wake, result: message('Webhook successfully deleted') };
  });
}

/** The previous secret also signs for one day, so that receivers can change over without missing a delivery. */
export async function replaceWebhookSecret(caller: Caller, endpointId: number, { requestId }: RequestFacts) {
  const secret = newSecret();
  return transaction(async (inTransaction) => {
    const endpoint = await getEndpoint(caller, endpointId, inTransaction);
    const previousSecretEndsAt = new Date(Date.now() + previousSecretSeconds * 1000);
    await endpoint.update(
      {
        sealedSecret: seal(secretPurpose, secret),
        sealedPreviousSecret: endpoint.sealedSecret,
        previousSecretEndsAt,
        updatedAt: new Date(),
      },
      { transaction: inTransaction },
    );
    await audit(inTransaction, caller, {
      action: 'webhook.replace_secret',
      object: ['webhook', endpointId],
      requestId,
    });
    return { secret, previous_secret_expires_at: unixSeconds(previousSecretEndsAt) };
  });
}

/** Gets an endpoint of the merchant. In a transaction the row is locked; it is locked before every other row. */
export function getEndpoint({ merchantId }: Caller, id: number, inTransaction?: Transaction): Promise<WebhookEndpoint> {
  const locked = { transaction: inTransaction, lock: inTransaction !== undefined };
  return getOwned(WebhookEndpoint, merchantId, id, 'webhook_not_found', locked);
}

function refuseAddress(url: string): void {
  const fault = faultOfUrl(url);
  if (fault !== undefined) throw new AppError('invalid_input', { errors: { url: `The url must ${fault}.` } });
}

/** Subscribes the endpoint to its merchant's events, from the next one on. */
async function joinChannel(endpoint: WebhookEndpoint, inTransaction: Transaction): Promise<void> {
  const { lastSequence: cursor } = await openWakes(inTransaction, endpoint);
  await endpoint.update({ cursor }, { transaction: inTransaction });
}

/**
 * Continues with the missed events that are still stored, or without them. The measurement of the failure rate starts
 * again.
 */
async function resume(endpoint: WebhookEndpoint, from: 'missed' | 'now', inTransaction: Transaction): Promise<void> {
  await execute(inTransaction, 'DELETE FROM webhook_outcomes WHERE endpoint_id = $1', [endpoint.id]);
  if (from === 'missed') return tryAllNow(endpoint, inTransaction);
  await WebhookDelivery.update(
    { state: 'dropped', error: 'left_out', settledAt: new Date(), nextAttemptAt: null },
    { where: { endpointId: endpoint.id, state: 'pending', isQueued: true }, transaction: inTransaction },
  );
  await endpoint.update(
    { cursor: await findLastSequence(inTransaction, endpoint.merchantId) },
    { transaction: inTransaction },
  );
}

/** Resets the schedule of all pending deliveries, as if none had been attempted. */
async function tryAllNow({ id }: WebhookEndpoint, inTransaction: Transaction): Promise<void> {
  await WebhookDelivery.update(
    { step: 0, firstFailedAt: null, scheduledFor: null, nextAttemptAt: fn('now') },
    { where: { endpointId: id, state: 'pending', isQueued: true }, transaction: inTransaction },
  );
}

function stateOf(isEnabled: boolean) {
  return isEnabled
    ? { isEnabled, disabledReason: null, disabledAt: null }
    : { isEnabled, disabledReason: 'merchant' as const, disabledAt: new Date() };
}

/** The format of Standard Webhooks: 32 random bytes in base64. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

const present = (endpoint: WebhookEndpoint) => presentWebhook(endpoint, neverSent);
