import { randomBytes } from 'node:crypto';
import { fn, Op } from 'sequelize';
import { type z } from 'zod';
import { statement } from '../adapters/postgres/statement';
import { findPage, olderThan } from '../adapters/postgres/totals';
import { type WebhookFormat } from '../adapters/webhookSender';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { inParts, shownParts } from '../kit/csv';
import { AppError } from '../kit/errors';
import { byId, cursorRange, nextCursor } from '../kit/page';
import { readEventsAt } from '../notifications/notifications';
import { WebhookDelivery } from './webhooks.model';
import { webhookIdPrefixes } from './queue';
import { enqueueWake, withWake } from './wakes';
import { getEndpoint } from './webhooks';
import { presentDelivery } from './deliveries.presenter';
import { type DeliveriesQuery, type ResendBody } from './deliveries.schemas';

/** The type of a test delivery, which has no event. */
const testType = 'webhook.test';

/** Lists the newest delivery first. */
export async function listDeliveries(caller: Caller, endpointId: number, query: z.output<typeof DeliveriesQuery>) {
  await getEndpoint(caller, endpointId);
  const { page, limit, offset, after } = cursorRange(query);
  const key = `deliveries ${JSON.stringify([endpointId, query.state])}`;
  const { rows, total } = await findPage(WebhookDelivery, key, {
    where: { endpointId, ...(query.state !== undefined && { state: query.state }) },
    order: [['id', 'DESC']],
    limit,
    offset,
    after: olderThan(after),
  });
  const next_cursor = nextCursor(rows, { limit }, byId);
  return { total, page, offset, limit, next_cursor, collection: rows.map(presentDelivery) };
}

/** Reads the whole list in parts, in the same order, for an export. */
export async function readDeliveries(caller: Caller, endpointId: number) {
  await getEndpoint(caller, endpointId);
  const read = (limit: number, after: number | undefined) =>
    WebhookDelivery.findAll({
      where: { endpointId, ...(after !== undefined && { id: { [Op.lt]: after } }) },
      order: [['id', 'DESC']],
      limit,
    });
  return shownParts(
    inParts(read, ({ id }) => id),
    presentDelivery,
  );
}

/** Sends a test immediately, with one attempt, even if the webhook is turned off. */
export async function testWebhook(caller: Caller, endpointId: number, { requestId }: RequestFacts) {
  return withWake(async (inTransaction) => {
    const endpoint = await getEndpoint(caller, endpointId, inTransaction);
    const delivery = await WebhookDelivery.create(
      {
        webhookId: newWebhookId(endpoint.format),
        merchantId: endpoint.merchantId,
        endpointId,
        sequence: null,
        type: testType,
        isQueued: false,
      },
      { transaction: inTransaction },
    );
    await audit(inTransaction, caller, { action: 'webhook.test', object: ['webhook', endpointId], requestId });
    return { wake: await enqueueWake(inTransaction, endpoint), result: presentDelivery(delivery) };
  });
}

/**
 * Attempts a pending delivery now, in addition to its next scheduled attempt. A delivered, failed or dropped one gets
 * one more attempt while its event is stored. That attempt ignores the order of the account, and is made even if the
 * webhook is turned off. The `webhook-id` stays the same, so that the receiver can recognize a repeated event.
 */
export async function retryDelivery(
  caller: Caller,
  endpointId: number,
  webhookId: string,
  { requestId }: RequestFacts,
) {
  return withWake(async (inTransaction) => {
    const endpoint = await getEndpoint(caller, endpointId, inTransaction);
    const delivery = await WebhookDelivery.findOne({ where: { endpointId, webhookId }, transaction: inTransaction });
    if (!delivery) throw new AppError('webhook_delivery_not_found');
    if (delivery.state !== 'pending') await refuseGone(delivery);
    const now = { nextAttemptAt: fn('now') };
    const change =
      delivery.state === 'pending'
        ? { ...now, scheduledFor: delivery.scheduledFor ?? delivery.nextAttemptAt }
        : { ...now, state: 'pending' as const, isQueued: false, step: 0, settledAt: null, error: null };
    await delivery.update(change, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'webhook.retry', object: ['webhook', endpointId], requestId });
    await delivery.reload({ transaction: inTransaction });
    return { wake: await enqueueWake(inTransaction, endpoint), result: presentDelivery(delivery) };
  });
}

const mostResent = 10_000;

const resendStatement = statement<{ count: number }>(
  'webhooks_resend',
  `WITH found AS MATERIALIZED (
     SELECT sequence, type, account_id FROM events
     WHERE merchant_id = $2 AND sequence <= $3 AND coalesce(happened_at, created_at) >= $4
       AND coalesce(happened_at, created_at) < $5
       AND (cardinality($6::text[]) = 0 OR type = ANY($6)) AND (cardinality($7::text[]) = 0 OR type = ANY($7))
     ORDER BY sequence LIMIT $8 + 1
   ), counted AS (
     SELECT count(*)::int AS count FROM found
   ), written AS (
     INSERT INTO webhook_deliveries (webhook_id, merchant_id, endpoint_id, sequence, about_account_id, type, is_queued)
     SELECT $9 || replace(gen_random_uuid()::text, '-', ''), $2, $1, sequence, account_id, type, true
     FROM found, counted WHERE counted.count <= $8 ORDER BY sequence
     ON CONFLICT (endpoint_id, sequence) DO UPDATE SET state = 'pending', is_queued = true, step = 0, error = NULL,
       first_failed_at = NULL, scheduled_for = NULL, settled_at = NULL, next_attempt_at = now()
     WHERE webhook_deliveries.state <> 'pending'
   )
   SELECT count FROM counted`,
);

/**
 * Sends the stored events of a time range again, in order and with all attempts of a new event. An event that was sent
 * before keeps its `webhook-id`. A pending delivery does not change, so two concurrent equal requests have the effect
 * of one.
 */
export async function resendEvents(
  caller: Caller,
  endpointId: number,
  { from, to = new Date(), events = [] }: z.output<typeof ResendBody>,
  { requestId }: RequestFacts,
) {
  if (to <= from) throw refuseRange('to', 'The to must be later than the from.');
  return withWake(async (inTransaction) => {
    const endpoint = await getEndpoint(caller, endpointId, inTransaction);
    const { merchantId, cursor, eventTypes, format } = endpoint;
    const [resent] = await resendStatement(
      [endpointId, merchantId, cursor, from, to, eventTypes, events, mostResent, webhookIdPrefixes[format]],
      inTransaction,
    );
    const count = resent?.count ?? 0;
    if (count > mostResent)
      throw refuseRange('from', `The from and to must name a time with at most ${mostResent} events.`);
    await audit(inTransaction, caller, { action: 'webhook.resend', object: ['webhook', endpointId], requestId });
    return { wake: await enqueueWake(inTransaction, endpoint), result: { count } };
  });
}

function refuseRange(field: 'from' | 'to', why: string): AppError {
  return new AppError('invalid_input', { errors: { [field]: why } });
}

async function refuseGone({ merchantId, sequence }: WebhookDelivery): Promise<void> {
  if (sequence === null) return;
  if ((await readEventsAt(merchantId, [sequence])).length === 0) throw new AppError('webhook_event_gone');
}

/** The `webhook-id` by which a receiver recognizes a delivery. */
function newWebhookId(format: WebhookFormat): string {
  return `${webhookIdPrefixes[format]}${randomBytes(16).toString('hex')}`;
}
