import { consumer } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { BillingDetailsBody, BillingDetailsResponse } from './billingDetails.schemas';
import * as billingDetails from './billingDetails';

export const billingDetailsEndpoints = {
  getBillingDetails: endpoint({
    method: 'get',
    path: '/v2/accounts/billing-details',
    summary: 'The name, address and tax number that the caller’s invoices have',
    auth: consumer(),
    status: 200,
    response: BillingDetailsResponse,
    errors: [],
    handler: ({ caller }) => billingDetails.getBillingDetails(caller),
  }),
  setBillingDetails: endpoint({
    method: 'put',
    path: '/v2/accounts/billing-details',
    summary: 'Set the name, address and tax number for the tax and the invoices of later charges',
    auth: consumer(),
    body: BillingDetailsBody,
    status: 200,
    response: BillingDetailsResponse,
    errors: [],
    handler: ({ caller, body }) => billingDetails.setBillingDetails(caller, body),
  }),
};
