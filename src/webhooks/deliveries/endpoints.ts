import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { DeliveriesQuery, DeliveryId, DeliveryPage, DeliveryResponse, EndpointId } from './schemas';
import * as deliveries from './service';

export const webhookDeliveryEndpoints = {
  listWebhookDeliveries: endpoint({
    feature: 'webhooks',
    method: 'get',
    path: '/webhooks/{id}/deliveries',
    summary: 'What a webhook was sent in 30 days, and what came of it, newest first',
    auth: merchant('settings:write'),
    params: EndpointId,
    query: DeliveriesQuery,
    status: 200,
    response: DeliveryPage,
    errors: ['webhook_not_found'],
    handler: ({ caller, params, query }) => deliveries.listDeliveries(caller, params.id, query),
  }),
  retryWebhookDelivery: endpoint({
    feature: 'webhooks',
    method: 'post',
    path: '/webhooks/{id}/deliveries/{delivery_id}/retry',
    summary: 'Try what waits at once, or send once more what has ended; events are kept for 7 days',
    auth: merchant('settings:write'),
    params: DeliveryId,
    status: 202,
    response: DeliveryResponse,
    errors: ['webhook_not_found', 'webhook_delivery_not_found', 'webhook_event_gone'],
    handler: ({ caller, params, request }) => deliveries.retryDelivery(caller, params.id, params.delivery_id, request),
  }),
  testWebhook: endpoint({
    feature: 'webhooks',
    method: 'post',
    path: '/webhooks/{id}/test',
    summary: 'Send a test event, at once and once',
    auth: merchant('settings:write'),
    params: EndpointId,
    status: 202,
    response: DeliveryResponse,
    errors: ['webhook_not_found'],
    handler: ({ caller, params, request }) => deliveries.testWebhook(caller, params.id, request),
  }),
};
