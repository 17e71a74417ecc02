import { type EventMessage } from '../../notifications/events';

/** What old back ends call an event, where that differs (wire C.5). */
const formTypes: Record<string, string> = {
  'access.granted': 'asset.access.granted',
  'access.revoked': 'asset.access.revoked',
};

/** The version of the interface that they were written for. */
const formVersion = '2.4.2';

/** The fields of wire C.5. `consumerId`: the account that the event tells of. */
export function presentForm(webhookId: string, message: EventMessage, consumerId: number) {
  return {
    id: webhookId,
    created: message.timestamp,
    type: formTypes[message.type] ?? message.type,
    version: formVersion,
    resource: { consumer_id: consumerId, ...message.resource },
  };
}
