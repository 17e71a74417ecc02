import { consumer } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { PaymentBody, SubmittedPayment } from './schemas';
import * as payments from './service';

const submission = {
  method: 'post',
  auth: consumer(),
  body: PaymentBody,
  cardNumberFields: ['number'],
  featureFields: { is_gift: 'gifts' },
  status: 200,
  response: SubmittedPayment,
  errors: [
    'missing_parameter',
    'access_fee_not_found',
    'access_restricted',
    'voucher_not_found',
    'payment_not_found',
    'already_has_access',
    'price_changed',
    'too_many_requests',
  ],
} as const;

export const paymentEndpoints = {
  createPayment: endpoint({
    ...submission,
    path: '/payments',
    summary: 'Pay once by card, for oneself or as a gift, or go on after an authentication',
    handler: ({ caller, body, request }) => payments.createPayment(caller, body, request),
  }),
  createPaymentV2: endpoint({
    ...submission,
    path: '/v2/payments',
    summary: 'Pay once by card, for oneself or as a gift, or go on after an authentication (v2)',
    handler: ({ caller, body, request }) => payments.createPayment(caller, body, request),
  }),
};
