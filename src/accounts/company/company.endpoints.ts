import { z } from 'zod';
import { anyone, merchant, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { redirect } from '../signIn/browserFlows';
import { CallbackQuery } from '../signIn/social.schemas';
import {
  CompanyPath,
  CompanyProviderBody,
  CompanyProviderResponse,
  CompanySignInQuery,
  CompanyTestResponse,
} from './company.schemas';
import * as providers from './providers';
import * as signIn from './signIn';

const path = '/v2/company-provider';
const owner = merchant('apps:write');
const step = {
  method: 'get',
  auth: anyone(),
  limit: 'credentials',
  params: CompanyPath,
  status: 303,
  response: z.string(),
  produces: 'text/plain',
  errors: [],
} as const;

export const companyEndpoints = {
  getCompanyProvider: endpoint({
    method: 'get',
    path,
    summary: 'Get the OpenID provider with which the staff signs in, without its secret',
    auth: owner,
    status: 200,
    response: CompanyProviderResponse,
    errors: ['company_provider_not_found'],
    handler: ({ caller }) => providers.getCompanyProvider(caller),
  }),
  setCompanyProvider: endpoint({
    method: 'put',
    path,
    summary: 'Connect an OpenID provider with which the staff signs in, or change it',
    auth: withRecentFactor(owner),
    body: CompanyProviderBody,
    status: 200,
    response: CompanyProviderResponse,
    errors: ['missing_parameter'],
    handler: ({ caller, body, request }) => providers.setCompanyProvider(caller, body, request),
  }),
  deleteCompanyProvider: endpoint({
    method: 'delete',
    path,
    summary: 'Disconnect the OpenID provider of the staff; the sessions that it opened end',
    auth: withRecentFactor(owner),
    status: 200,
    response: Message,
    errors: ['company_provider_not_found'],
    handler: ({ caller, request }) => providers.deleteCompanyProvider(caller, request),
  }),
  testCompanyProvider: endpoint({
    method: 'post',
    path: `${path}/test`,
    summary: 'Test the settings of the staff’s OpenID provider, and name the wrong field',
    auth: owner,
    status: 200,
    response: CompanyTestResponse,
    errors: ['company_provider_not_found', 'too_many_requests'],
    handler: ({ caller }) => providers.testCompanyProvider(caller),
  }),
  startCompanySignIn: endpoint({
    ...step,
    path: '/accounts/company/{merchant_uuid}',
    summary: 'Redirect a browser to the OpenID provider of a merchant’s staff',
    query: CompanySignInQuery,
    handler: async ({ params, query }) => redirect(await signIn.startCompanySignIn(params.merchant_uuid, query)),
  }),
  endCompanySignIn: endpoint({
    ...step,
    path: '/accounts/company/{merchant_uuid}/callback',
    summary: 'The redirect address for the OpenID provider; redirects to the console with its cookie',
    query: CallbackQuery,
    handler: async ({ params, query, request }) =>
      redirect(await signIn.endCompanySignIn(params.merchant_uuid, query, request)),
  }),
};
