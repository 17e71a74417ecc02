import { Op } from 'sequelize';
import { type z } from 'zod';
import { type Transaction } from '../../adapters/postgres/connection';
import { findPage } from '../../adapters/postgres/totals';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { inParts, shownParts } from '../../kit/csv';
import { AppError } from '../../kit/errors';
import { pageRange } from '../../kit/page';
import { readEvents } from '../../notifications/service';
import { WebhookDelivery, type WebhookEndpoint } from '../model';
import { keepingPromises, promiseLook, promiseSingle } from '../promises/service';
import { newWebhookId } from '../queue/service';
import { audit, getEndpoint } from '../service';
import { presentDelivery } from './presenter';
import { type DeliveriesQuery } from './schemas';

/** Of a test, which tells of no event. */
const testType = 'webhook.test';

/** Newest first. */
export async function listDeliveries(caller: Caller, endpointId: number, query: z.output<typeof DeliveriesQuery>) {
  await getEndpoint(caller, endpointId);
  const { page, limit, offset } = pageRange(query);
  const key = `deliveries ${JSON.stringify([endpointId, query.state])}`;
  const { rows, total } = await findPage(WebhookDelivery, key, {
    where: { endpointId, ...(query.state !== undefined && { state: query.state }) },
    order: [['id', 'DESC']],
    limit,
    offset,
  });
  return { total, page, offset, limit, collection: rows.map(presentDelivery) };
}

/** All of them in parts, in the same order. */
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

/** Sends once, at once, whether or not the webhook is on: something that tells of no event. */
export async function testWebhook(caller: Caller, endpointId: number, request: RequestFacts) {
  return keepingPromises(async (inTransaction) => {
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
    const promises = [await promiseSingle(inTransaction, endpoint, delivery)];
    await audit(inTransaction, caller, { action: 'webhook.test', endpointId, request });
    return { promises, result: presentDelivery(delivery) };
  });
}

/**
 * What waits in the queue is tried now. What has ended is sent once more, beside the queue, whether or not the webhook is
 * on, for as long as the event is kept; the receiver knows it by the same id.
 */
export async function retryDelivery(caller: Caller, endpointId: number, webhookId: string, request: RequestFacts) {
  return keepingPromises(async (inTransaction) => {
    const endpoint = await getEndpoint(caller, endpointId, inTransaction);
    const delivery = await WebhookDelivery.findOne({ where: { endpointId, webhookId }, transaction: inTransaction });
    if (!delivery) throw new AppError('webhook_delivery_not_found');
    const promises =
      delivery.isQueued && delivery.state === 'pending'
        ? await promiseLook(inTransaction, endpoint)
        : [await promiseAgain(inTransaction, endpoint, delivery)];
    await audit(inTransaction, caller, { action: 'webhook.retry', endpointId, request });
    return { promises, result: presentDelivery(delivery) };
  });
}

async function promiseAgain(inTransaction: Transaction, endpoint: WebhookEndpoint, delivery: WebhookDelivery) {
  await refuseGone(delivery);
  await delivery.update(
    { state: 'pending', isQueued: false, step: 0, settledAt: null, error: null },
    { transaction: inTransaction },
  );
  return promiseSingle(inTransaction, endpoint, delivery);
}

async function refuseGone({ merchantId, sequence }: WebhookDelivery): Promise<void> {
  if (sequence === null) return;
  const [event] = await readEvents({ merchantId }, sequence - 1, 1);
  if (event?.message.id !== sequence) throw new AppError('webhook_event_gone');
}
