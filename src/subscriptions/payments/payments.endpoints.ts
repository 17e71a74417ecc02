import { consumer } from '../../kit/auth';
import { endpoint, variant } from '../../kit/endpoint';
import { isSent } from '../../kit/validate';
import { ContinueBody } from '../cards.schemas';
import { PaymentBody, SubmittedPayment } from './payments.schemas';
import * as payments from './payments';

const asConsumer = { auth: consumer() } as const;

const submission = {
  method: 'post',
  ...asConsumer,
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
    'voucher_currency',
    'voucher_customer_limit',
    'voucher_new_customers_only',
    'payment_not_found',
    'provider_misconfigured',
    'already_has_access',
    'price_changed',
    'card_confirmation_required',
    'payment_method_not_offered',
    'too_many_requests',
  ],
  instead: variant(asConsumer, {
    summary: 'Continue after an authentication',
    isMeant: ({ fields }) => isSent(fields['pi_id']),
    body: ContinueBody,
    handler: ({ caller, body, request }) => payments.continuePayment(caller, body.pi_id, request.requestId),
  }),
} as const;

export const paymentEndpoints = {
  createPayment: endpoint({
    ...submission,
    path: '/payments',
    summary: 'Pay once by card, wallet, direct debit, iDEAL, Bancontact or PayPal, also for a gift',
    handler: ({ caller, body, request }) => payments.createPayment(caller, body, request),
  }),
  createPaymentV2: endpoint({
    ...submission,
    path: '/v2/payments',
    summary: 'Pay once by card, wallet, direct debit, iDEAL, Bancontact or PayPal, also for a gift (v2)',
    handler: ({ caller, body, request }) => payments.createPayment(caller, body, request),
  }),
};
