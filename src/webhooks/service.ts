import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { type z } from 'zod';
import { type OutboxRow } from '../adapters/outbox';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { isPublicAddress } from '../adapters/publicAddresses';
import { seal } from '../adapters/sealing';
import { environmentName, webhooksMayBePrivate } from '../adapters/settings';
import { actorOf, writeAudit } from '../audit/service';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { unixSeconds } from '../kit/time';
import { WebhookDelivery, WebhookEndpoint } from './model';
import { presentWebhook } from './presenter';
import { keepingPromises, promiseLook, promiseWake } from './promises/service';
import { type CreateWebhookBody, type UpdateWebhookBody } from './schemas';

type UpdateInput = z.output<typeof UpdateWebhookBody>;

const mostEndpoints = 20;
const previousSecretSeconds = 86_400;
/** What a secret of an endpoint is sealed for. */
export const secretPurpose = 'webhook';

/** A new endpoint hears of what happens from now on. */
export async function createWebhook(caller: Caller, input: z.output<typeof CreateWebhookBody>, request: RequestFacts) {
  refuseAddress(input.url);
  const secret = newSecret();
  return transaction(async (inTransaction) => {
    await refuseTooMany(caller.merchantId, inTransaction);
    const isEnabled = input.enabled ?? true;
    const endpoint = await WebhookEndpoint.create(
      {
        merchantId: caller.merchantId,
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
    await audit(inTransaction, caller, { action: 'webhook.create', endpointId: endpoint.id, request });
    await joinChannel(endpoint, inTransaction);
    return { ...presentWebhook(endpoint), secret };
  });
}

export async function listWebhooks(caller: Caller) {
  const endpoints = await WebhookEndpoint.findAll({ where: { merchantId: caller.merchantId }, order: ['id'] });
  return { total: endpoints.length, collection: endpoints.map(presentWebhook) };
}

export async function getWebhook(caller: Caller, endpointId: number) {
  return presentWebhook(await getEndpoint(caller, endpointId));
}

/** What waits in its queue is tried at once, at the new address. Enabled again, it goes on where it stopped. */
export async function updateWebhook(caller: Caller, endpointId: number, input: UpdateInput, request: RequestFacts) {
  if (input.url !== undefined) refuseAddress(input.url);
  return keepingPromises(async (inTransaction) => {
    const endpoint = await getEndpoint(caller, endpointId, inTransaction);
    const isEnabled = input.enabled ?? endpoint.isEnabled;
    const isTurned = isEnabled !== endpoint.isEnabled;
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
    const promises = await promiseLook(inTransaction, endpoint);
    if (isTurned && isEnabled) promises.push(...(await resume(endpoint, input.resume ?? 'missed', inTransaction)));
    await audit(inTransaction, caller, { action: 'webhook.update', endpointId, request });
    return { promises, result: presentWebhook(endpoint) };
  });
}

export async function deleteWebhook(caller: Caller, endpointId: number, request: RequestFacts) {
  return keepingPromises(async (inTransaction) => {
    const endpoint = await getEndpoint(caller, endpointId, inTransaction);
    const promises = await promiseLook(inTransaction, endpoint);
    await audit(inTransaction, caller, { action: 'webhook.delete', endpointId, request });
    await endpoint.destroy({ transaction: inTransaction });
    return { promises, result: message('Webhook successfully deleted') };
  });
}

/** The old secret signs beside the new one for a day, so that receivers can change over without missing anything. */
export async function replaceWebhookSecret(caller: Caller, endpointId: number, request: RequestFacts) {
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
    await audit(inTransaction, caller, { action: 'webhook.replace_secret', endpointId, request });
    return { secret, previous_secret_expires_at: unixSeconds(previousSecretEndsAt) };
  });
}

/** The merchant's endpoint, locked where it is about to change: that comes before every other lock. */
export async function getEndpoint(
  caller: Caller,
  endpointId: number,
  inTransaction?: Transaction,
): Promise<WebhookEndpoint> {
  const endpoint = await WebhookEndpoint.findOne({
    where: { id: endpointId, merchantId: caller.merchantId },
    ...(inTransaction && { transaction: inTransaction, lock: true }),
  });
  if (!endpoint) throw new AppError('webhook_not_found');
  return endpoint;
}

interface Deed {
  action: `webhook.${string}`;
  endpointId: number;
  request: RequestFacts;
}

export function audit(inTransaction: Transaction, caller: Caller, { action, endpointId, request }: Deed) {
  const { requestId } = request;
  return writeAudit(inTransaction, {
    ...actorOf(caller),
    action,
    objectType: 'webhook',
    objectId: endpointId,
    requestId,
  });
}

/** An address is looked at again whenever it is connected to; what is wrong on its face is refused at once. */
function refuseAddress(url: string): void {
  const { protocol, hostname } = new URL(url);
  const refuse = (why: string) => new AppError('invalid_input', { errors: { url: `The url must ${why}.` } });
  if (protocol !== 'https:' && environmentName !== 'test') throw refuse('be an https address');
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  const isPrivate = literal === 'localhost' || (isIP(literal) !== 0 && !isPublicAddress(literal));
  if (isPrivate && !webhooksMayBePrivate) throw refuse('be a public address');
}

/** Two requests at once would both see 19. */
async function refuseTooMany(merchantId: number, inTransaction: Transaction): Promise<void> {
  await execute(inTransaction, `SELECT pg_advisory_xact_lock(hashtext('webhook_endpoints'), $1)`, [merchantId]);
  const count = await WebhookEndpoint.count({ where: { merchantId }, transaction: inTransaction });
  if (count >= mostEndpoints) throw new AppError('webhook_limit_reached');
}

/** From here on its merchant's events wake it: this waits for those that are being written. */
async function joinChannel({ id, merchantId }: WebhookEndpoint, inTransaction: Transaction): Promise<void> {
  await execute(
    inTransaction,
    `WITH channel AS (
       UPDATE channels SET has_webhooks = true WHERE merchant_id = $2 RETURNING last_sequence
     ), asleep AS (
       INSERT INTO webhook_wakes (endpoint_id, merchant_id, pending) VALUES ($1, $2, 0)
     )
     UPDATE webhook_endpoints SET cursor = channel.last_sequence FROM channel WHERE id = $1`,
    [id, merchantId],
  );
}

async function lastPlace(merchantId: number, inTransaction: Transaction): Promise<number> {
  const text = 'SELECT last_sequence FROM channels WHERE merchant_id = $1';
  const [channel] = await execute<{ last_sequence: number }>(inTransaction, text, [merchantId]);
  return channel?.last_sequence ?? 0;
}

/** The queue goes on: with what was missed, as far as events are kept, or leaving that out. Its three days begin anew. */
async function resume(
  endpoint: WebhookEndpoint,
  from: 'missed' | 'now',
  inTransaction: Transaction,
): Promise<OutboxRow[]> {
  const inHand = { where: { endpointId: endpoint.id, state: 'pending', isQueued: true }, transaction: inTransaction };
  if (from === 'missed') await WebhookDelivery.update({ step: 0 }, inHand);
  else {
    await WebhookDelivery.update({ state: 'dropped', error: 'left_out', settledAt: new Date() }, inHand);
    await endpoint.update(
      { cursor: await lastPlace(endpoint.merchantId, inTransaction) },
      { transaction: inTransaction },
    );
  }
  return [await promiseWake(inTransaction, endpoint)];
}

function stateOf(isEnabled: boolean) {
  return isEnabled
    ? { isEnabled, disabledReason: null, disabledAt: null }
    : { isEnabled, disabledReason: 'merchant' as const, disabledAt: new Date() };
}

/** As Standard Webhooks writes them: 32 random bytes in base64. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
