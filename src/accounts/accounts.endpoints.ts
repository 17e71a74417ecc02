import { anyone, openToActors, optionalAuth, signedIn } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import { authenticate } from './signIn/authentication';
import {
  AccountResponse,
  AuthenticateBody,
  AuthenticateBodyV2,
  AuthenticationResponse,
  LoginBody,
  RegisterBody,
} from './accounts.schemas';
import * as accounts from './accounts';

const refusals = ['invalid_credentials', 'invalid_client', 'second_factor_required', 'too_many_requests'] as const;

const authentication = {
  method: 'post',
  auth: anyone(),
  limit: 'credentials',
  status: 200,
  response: AuthenticationResponse,
  errors: [...refusals, 'second_factor_code_invalid', 'merchant_suspended'],
} as const;

const ownAccount = {
  method: 'get',
  summary: 'Get the account of the token',
  auth: openToActors('accounts:read', signedIn()),
  status: 200,
  response: AccountResponse,
  errors: [],
} as const;

export const accountEndpoints = {
  createAccount: endpoint({
    method: 'post',
    path: '/accounts',
    summary: 'Register a consumer or a merchant',
    auth: anyone(),
    limit: 'registrations',
    body: RegisterBody,
    status: 200,
    response: AuthenticationResponse,
    errors: ['invalid_client', 'merchant_signup_closed', 'account_exists', 'too_many_requests'],
    handler: ({ body, request }) => accounts.createAccount(body, request),
  }),
  authenticate: endpoint({
    ...authentication,
    path: '/accounts/authenticate',
    summary: 'Sign in or renew a session',
    body: AuthenticateBody,
    errors: [...authentication.errors, 'second_factor_challenge_invalid', 'invalid_refresh_token'],
    handler: ({ body, request }) => authenticate(body, request),
  }),
  authenticateV2: endpoint({
    ...authentication,
    path: '/v2/accounts/authenticate',
    summary: 'Sign in (v2)',
    body: AuthenticateBodyV2,
    handler: ({ body, request }) => authenticate(body, request),
  }),
  login: endpoint({
    ...authentication,
    path: '/accounts/login',
    summary: 'Sign in (legacy clients)',
    body: LoginBody,
    errors: refusals,
    handler: ({ body: { email, password, merchant_uuid }, request }) => {
      const credentials = { client_id: merchant_uuid, grant_type: 'password', username: email, password } as const;
      return authenticate(credentials, request);
    },
  }),
  getAccount: endpoint({ ...ownAccount, path: '/accounts', handler: ({ caller }) => accounts.getAccount(caller) }),
  getAccountV2: endpoint({ ...ownAccount, path: '/v2/accounts', handler: ({ caller }) => accounts.getAccount(caller) }),
  getAccountV3: endpoint({ ...ownAccount, path: '/v3/accounts', handler: ({ caller }) => accounts.getAccount(caller) }),
  logout: endpoint({
    method: 'get',
    path: '/accounts/logout',
    summary: 'End the session of the token (also 200 for an expired token)',
    auth: optionalAuth(),
    status: 200,
    response: Message,
    errors: [],
    handler: ({ request }) => accounts.logout(request.bearer),
  }),
};
