import { type EventMessage } from '../notifications/events';

/** The event types that have another name in the form format. */
const formTypes: Record<string, string> = {
  'access.granted': 'asset.access.granted',
  'access.revoked': 'asset.access.revoked',
};

/** The API version in the form format. */
const formVersion = '2.4.2';

/** The payload of the form format. `consumerId` is the id of the account of the event. */
export function presentForm(webhookId: string, message: EventMessage, consumerId: number) {
  return {
    id: webhookId,
    created: message.timestamp,
    type: formTypes[message.type] ?? message.type,
    version: formVersion,
    resource: { consumer_id: consumerId, ...message.resource },
  };
}

interface Purchase {
  purchased_access_fee_id: number;
  starts_at: number;
  expires_at: number;
  created_at: number;
  voucher_code: string;
}

/**
 * The resource of `asset.access.granted`: the current row of the purchase history. `original_expires_at` is the end of
 * access in the event. `extended` is true if access now ends later.
 */
export function presentGrant<P extends Purchase>(resource: Record<string, unknown>, purchase: P) {
  const originalEnd = Number(resource['expires_at']);
  return {
    ...purchase,
    access_fee_id: purchase.purchased_access_fee_id,
    date: new Date(purchase.created_at * 1000).toISOString(),
    extended: purchase.expires_at > originalEnd,
    original_expires_at: originalEnd,
    item: withoutContent(resource['item']),
  };
}

function withoutContent(item: unknown): object {
  return Object.fromEntries(Object.entries(item ?? {}).filter(([name]) => name !== 'content'));
}
