import { z } from 'zod';
import { anyone } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { receiveNotification, receivePush } from './notifications';

const notification = {
  method: 'post',
  auth: anyone(),
  rawBodyMax: 256 * 1024,
  status: 200,
  response: Message,
  errors: ['invalid_signature', 'service_unavailable'],
} as const;

export const storeNotificationEndpoints = {
  notifyApple: endpoint({
    ...notification,
    path: '/external-payments/apple/notifications',
    summary: 'App Store Server Notifications, version 2',
    // Apple sends its certificates with the signed data, so verification fetches nothing that could fail.
    errors: ['invalid_signature'],
    handler: ({ request }) => receiveNotification('apple', request),
  }),
  notifyGooglePlay: endpoint({
    ...notification,
    path: '/external-payments/google-play/notifications',
    summary: 'Real-time developer notifications, pushed by Cloud Pub/Sub',
    handler: ({ request }) => receiveNotification('google-play', request),
  }),
  notifyAmazon: endpoint({
    ...notification,
    path: '/external-payments/amazon/notifications',
    summary: 'Real-time notifications, through SNS',
    handler: ({ request }) => receiveNotification('amazon', request),
  }),
  notifyRoku: endpoint({
    ...notification,
    path: '/external-payments/roku/notifications',
    summary: 'Roku’s push notifications; the response repeats their response key',
    response: z.string(),
    produces: 'text/plain',
    handler: ({ request }) => receivePush('roku', request),
  }),
};
