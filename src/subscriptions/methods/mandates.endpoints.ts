import { consumer } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { CreatedMandate, MandateBody, MandateResponse } from './mandates.schemas';
import * as mandates from './mandates';

const path = '/v2/payments/direct-debit/mandate';

export const mandateEndpoints = {
  getMandate: endpoint({
    method: 'get',
    path,
    summary: 'Get the mandate for direct debits',
    auth: consumer(),
    status: 200,
    response: MandateResponse,
    errors: ['payment_method_not_offered', 'mandate_not_found'],
    handler: ({ caller }) => mandates.getMandate(caller),
  }),
  createMandate: endpoint({
    method: 'post',
    path,
    summary: 'Create a mandate for direct debits of a bank account',
    auth: consumer(),
    body: MandateBody,
    // The digits of an IBAN may look like a card number.
    cardNumberFields: ['iban'],
    status: 200,
    response: CreatedMandate,
    errors: ['payment_method_not_offered', 'provider_misconfigured'],
    handler: ({ caller, body, request }) => mandates.createMandate(caller, body, request),
  }),
};
