import { merchant, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import * as accounts from './providerAccounts';
import { connectPaymentAccount } from './connectedAccounts';
import {
  ConnectResponse,
  ProviderBody,
  ProviderQuery,
  ProviderResponse,
  ProviderTestResponse,
} from './providerAccounts.schemas';

export const providerAccountEndpoints = {
  getPaymentProvider: endpoint({
    method: 'get',
    path: '/payments/provider',
    summary: 'Get the payment account of the merchant, without its secrets',
    auth: merchant('settings:write'),
    status: 200,
    response: ProviderResponse,
    errors: [],
    handler: ({ caller }) => accounts.getPaymentProvider(caller),
  }),
  setPaymentProvider: endpoint({
    method: 'put',
    path: '/payments/provider',
    summary:
      'Connect the merchant’s own Stripe account: test its keys and register the notifications and the wallet domain',
    auth: withRecentFactor(merchant('settings:write')),
    body: ProviderBody,
    status: 200,
    response: ProviderResponse,
    errors: ['invalid_input', 'provider_changed', 'service_unavailable'],
    handler: ({ caller, body, request }) => accounts.setPaymentProvider(caller, body, request),
  }),
  connectPaymentProvider: endpoint({
    method: 'post',
    path: '/payments/provider/connect',
    summary: 'The page at Stripe on which the merchant opens an account below the operator’s platform, or completes it',
    auth: withRecentFactor(merchant('settings:write')),
    status: 200,
    response: ConnectResponse,
    errors: ['connect_not_offered', 'connect_refused', 'service_unavailable'],
    handler: ({ caller, request }) => connectPaymentAccount(caller, request),
  }),
  testPaymentProvider: endpoint({
    method: 'post',
    path: '/payments/provider/test',
    summary: 'Test the payment account and report the wrong fields',
    auth: merchant('settings:write'),
    status: 200,
    response: ProviderTestResponse,
    errors: ['provider_not_connected', 'connect_refused', 'service_unavailable'],
    handler: ({ caller }) => accounts.testPaymentProvider(caller),
  }),
  deletePaymentProvider: endpoint({
    method: 'delete',
    path: '/payments/provider',
    summary: 'Disconnect the payment account, or a former one, and delete its keys',
    auth: withRecentFactor(merchant('settings:write')),
    query: ProviderQuery,
    status: 200,
    response: Message,
    errors: ['provider_not_connected', 'provider_in_use'],
    handler: ({ caller, query, request }) => accounts.deletePaymentProvider(caller, query, request),
  }),
};
