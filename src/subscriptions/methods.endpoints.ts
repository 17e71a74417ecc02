import { consumer } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import * as methods from './methods';

/** Calls of existing clients for methods that are not offered. Each is refused by the name of its method. */
const unoffered = {
  auth: consumer(),
  status: 200,
  response: Message,
  errors: ['payment_method_not_offered'],
} as const;

const mandatePath = '/v2/payments/direct-debit/mandate';

export const methodEndpoints = {
  createExternalPayment: endpoint({
    ...unoffered,
    method: 'post',
    path: '/external-payments',
    summary: 'Pay with PayPal, which is not offered',
    handler: () => methods.refuseUnoffered('PayPal'),
  }),
  getMandate: endpoint({
    ...unoffered,
    method: 'get',
    path: mandatePath,
    summary: 'Get the mandate for direct debits, which are not offered',
    handler: () => methods.refuseUnoffered('Direct Debit'),
  }),
  createMandate: endpoint({
    ...unoffered,
    method: 'post',
    path: mandatePath,
    summary: 'Create a mandate for direct debits, which are not offered',
    // The digits of an IBAN may look like a card number.
    cardNumberFields: ['iban'],
    handler: () => methods.refuseUnoffered('Direct Debit'),
  }),
  createDonationPayment: endpoint({
    ...unoffered,
    method: 'post',
    path: '/v2/payments/donation',
    summary: 'Donate, which is not offered',
    cardNumberFields: ['number'],
    handler: () => methods.refuseUnoffered('Donation'),
  }),
  confirmDonationPayment: endpoint({
    ...unoffered,
    method: 'post',
    path: '/v2/payments/donation:confirm',
    summary: 'Continue a donation after an authentication, which is not offered',
    handler: () => methods.refuseUnoffered('Donation'),
  }),
};
