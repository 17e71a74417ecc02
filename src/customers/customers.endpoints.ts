import { anyone, merchant } from '../kit/auth';
import { endpoint, variant } from '../kit/endpoint';
import { CreateCustomerBody, CreatedCustomerResponse, RegisterBody, RegisteredResponse } from './customers.schemas';
import * as customers from './customers';

const registration = { auth: anyone() } as const;

export const customerEndpoints = {
  createAccountV2: endpoint({
    method: 'post',
    path: '/v2/accounts',
    summary: 'Register a consumer or a merchant (v2)',
    ...registration,
    limit: 'registrations',
    body: RegisterBody,
    status: 200,
    response: RegisteredResponse,
    errors: [
      'invalid_auth_token',
      'invalid_client',
      'forbidden',
      'second_factor_missing',
      'merchant_signup_closed',
      'account_exists',
      'too_many_requests',
    ],
    handler: ({ body, request }) => customers.registerAccount(body, request),
    // A token counts only here: clients that register may send a stale one.
    instead: variant(registration, {
      summary: 'Create a customer with a merchant’s token and `email` instead of `username`',
      isMeant: ({ fields: { email, username }, request: { bearer } }) =>
        bearer !== undefined && email !== undefined && username === undefined,
      body: CreateCustomerBody,
      handler: ({ body, request }) => customers.createCustomerByToken(body, request),
    }),
  }),
  createCustomer: endpoint({
    method: 'post',
    path: '/v2/accounts/customers',
    summary: 'Create a customer account and sign it in',
    auth: merchant('accounts:write'),
    body: CreateCustomerBody,
    status: 200,
    response: CreatedCustomerResponse,
    errors: ['account_exists'],
    handler: ({ caller, body, request }) => customers.createCustomer(caller, body, request),
  }),
};
