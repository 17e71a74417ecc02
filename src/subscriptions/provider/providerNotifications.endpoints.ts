import { anyone } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { NotificationPath } from './providerAccounts.schemas';
import { receiveConnectNotification } from './connectNotifications';
import * as notifications from './providerNotifications';

const notification = {
  method: 'post',
  auth: anyone(),
  rawBodyMax: 256 * 1024,
  status: 200,
  response: Message,
  errors: ['invalid_signature', 'not_found', 'service_unavailable'],
} as const;

export const providerNotificationEndpoints = {
  receiveStripeNotification: endpoint({
    ...notification,
    path: '/payments/stripe/notifications',
    summary: 'Receive a notification of the installation’s Stripe account',
    handler: ({ request }) => notifications.receiveNotification(request),
  }),
  receiveSandboxNotification: endpoint({
    ...notification,
    path: '/payments/sandbox/notifications',
    summary: 'Receive a notification of the sandbox',
    handler: ({ request }) => notifications.receiveSandboxNotification(request),
  }),
  receiveConnectNotification: endpoint({
    ...notification,
    path: '/payments/stripe/connect/notifications',
    summary: 'Receive a notification of a Stripe account below the operator’s platform',
    errors: [...notification.errors, 'connect_refused'],
    handler: ({ request }) => receiveConnectNotification(request),
  }),
  receiveAccountNotification: endpoint({
    ...notification,
    path: '/payments/stripe/notifications/{account_uuid}',
    summary: 'Receive a notification of a Stripe account that a merchant has connected',
    params: NotificationPath,
    handler: ({ params, request }) => notifications.receiveAccountNotification(params.account_uuid, request),
  }),
};
