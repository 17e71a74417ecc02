import { consumer } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import * as methods from './methods';

/**
 * Requests of existing clients for methods that no card provider supports. The error contains the name of the method.
 */
const unoffered = {
  method: 'post',
  auth: consumer(),
  status: 200,
  response: Message,
  errors: ['payment_method_not_offered'],
} as const;

export const unofferedEndpoints = {
  createDonationPayment: endpoint({
    ...unoffered,
    path: '/v2/payments/donation',
    summary: 'Donate, which is not offered',
    cardNumberFields: ['number'],
    handler: () => methods.refuseUnoffered('Donation'),
  }),
  confirmDonationPayment: endpoint({
    ...unoffered,
    path: '/v2/payments/donation:confirm',
    summary: 'Continue a donation after an authentication, which is not offered',
    handler: () => methods.refuseUnoffered('Donation'),
  }),
};
