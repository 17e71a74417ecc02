import { statement } from '../adapters/postgres/statement';
import { unseal } from '../adapters/sealing';
import { sendWebhook, type WebhookConnections, type WebhookReply } from '../adapters/webhookSender';
import { describePurchases } from '../customers/purchases';
import { unixSeconds } from '../kit/time';
import { type AddressedMessage, readEventsAt } from '../notifications/notifications';
import { type DueDelivery, type SendingEndpoint } from './queue';
import { secretPurpose } from './webhooks';
import { presentForm, presentGrant } from './attempts.presenter';

export interface Attempt {
  delivery: DueDelivery;
  atSeconds: number;
  reply: WebhookReply;
}

/** Makes one attempt. If the process stops in the middle, the attempt is repeated under the same `webhook-id`. */
export async function attemptDelivery(
  endpoint: SendingEndpoint,
  delivery: DueDelivery,
  event: AddressedMessage,
  connections: WebhookConnections,
): Promise<Attempt> {
  const { url, format } = endpoint;
  const id = delivery.webhook_id;
  const payload = format === 'form' ? presentForm(id, event.message, event.accountId) : event.message;
  const reply = await sendWebhook({ url, format, id, secrets: secretsOf(endpoint), payload }, { connections });
  return { delivery, atSeconds: unixSeconds(new Date()), reply };
}

/**
 * Reads the events of deliveries, by delivery id, in their current form. An event is missing from the map if it is no
 * longer stored, or if its account is erased.
 */
export async function readDeliveryEvents(
  endpoint: SendingEndpoint,
  deliveries: DueDelivery[],
): Promise<Map<number, AddressedMessage>> {
  const sequences = deliveries.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]));
  const events = sequences.length > 0 ? await readEventsAt(endpoint.merchant_id, sequences) : [];
  const shown = endpoint.format === 'form' ? await withPurchases(endpoint.merchant_id, events) : events;
  const bySequence = new Map(shown.map((event) => [event.message.id, event]));
  const byDelivery = new Map<number, AddressedMessage>();
  for (const delivery of deliveries) {
    const event = delivery.sequence === null ? await testEvent(delivery) : bySequence.get(delivery.sequence);
    if (event) byDelivery.set(delivery.id, event);
  }
  return byDelivery;
}

/** In the form format, an event of granted access contains the row of the purchase history. */
async function withPurchases(merchantId: number, events: AddressedMessage[]): Promise<AddressedMessage[]> {
  const idOf = ({ message }: AddressedMessage) =>
    message.type === 'access.granted' ? Number(message.resource['id']) : Number.NaN;
  const ids = events.map(idOf).filter((id) => Number.isInteger(id));
  if (ids.length === 0) return events;
  const purchases = await describePurchases(merchantId, [...new Set(ids)]);
  return events.map((event) => {
    const purchase = purchases.get(idOf(event));
    if (!purchase) return event;
    return { ...event, message: { ...event.message, resource: presentGrant(event.message.resource, purchase) } };
  });
}

const merchantStatement = statement<{ uuid: string }>('webhooks_merchant', 'SELECT uuid FROM accounts WHERE id = $1');

/** A test has no event, so its event id is 0. */
async function testEvent(delivery: DueDelivery): Promise<AddressedMessage> {
  const { merchant_id: merchantId, endpoint_id: endpointId, type } = delivery;
  const [merchant] = await merchantStatement([merchantId]);
  const uuid = merchant?.uuid ?? '';
  const timestamp = unixSeconds(delivery.created_at);
  const resource = { webhook_id: endpointId };
  const message = { id: 0, type, timestamp, merchant_uuid: uuid, account_uuid: uuid, resource };
  return { accountId: merchantId, message };
}

/**
 * The current secret, and the previous one until it expires. A secret that cannot be decrypted is not a failure of the
 * receiver. The round fails, and the attempt is made later.
 */
function secretsOf(endpoint: SendingEndpoint): string[] {
  const { sealed_secret: current, sealed_previous_secret: previous, previous_secret_lives: previousLives } = endpoint;
  return [current, ...(previous !== null && previousLives ? [previous] : [])].map((sealed) => {
    const secret = unseal(secretPurpose, sealed);
    if (secret === undefined) throw new Error('a webhook secret was sealed with another key');
    return secret;
  });
}
