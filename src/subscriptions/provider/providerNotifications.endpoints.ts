import { anyone } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import * as notifications from './providerNotifications';

export const providerNotificationEndpoints = {
  receiveStripeNotification: endpoint({
    method: 'post',
    path: '/payments/stripe/notifications',
    summary: 'Receive a notification that Stripe has signed',
    auth: anyone(),
    rawBodyMax: 256 * 1024,
    status: 200,
    response: Message,
    errors: ['invalid_signature', 'not_found', 'service_unavailable'],
    handler: ({ request }) => notifications.receiveNotification(request),
  }),
};
