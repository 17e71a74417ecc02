import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { CreateCustomerBody, CreatedCustomerResponse } from './schemas';
import * as customers from './service';

export const customerEndpoints = {
  createCustomer: endpoint({
    method: 'post',
    path: '/v2/accounts/customers',
    summary: 'Make a customer account, and sign it in',
    auth: merchant('accounts:write'),
    body: CreateCustomerBody,
    status: 200,
    response: CreatedCustomerResponse,
    errors: ['account_exists'],
    handler: ({ caller, body, request }) => customers.createCustomer(caller, body, request),
  }),
};
