import { anyone, openToActors, signedIn } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { AuthenticationResponse } from '../accounts.schemas';
import { confirmByPasskey, startConfirmation } from './confirmations';
import * as passkeys from './passkeys';
import {
  ConfirmBody,
  CreatePasskeyBody,
  CreationOptions,
  OwnerBody,
  PasskeyPath,
  PasskeyResponse,
  PasskeysResponse,
  RenamePasskeyBody,
  RequestOptions,
  SignInBody,
  SignInOptionsBody,
} from './passkeys.schemas';
import { createPasskey, startRegistration } from './registrations';
import { signInByPasskey, startSignIn } from './signIn';

const path = '/accounts/passkeys';
const ownerErrors = [
  'missing_parameter',
  'recent_factor_required',
  'recent_password_required',
  'wrong_password',
  'too_many_requests',
] as const;

export const passkeyEndpoints = {
  listPasskeys: endpoint({
    method: 'get',
    path,
    summary: 'List the passkeys of the account',
    auth: openToActors('accounts:read', signedIn()),
    status: 200,
    response: PasskeysResponse,
    errors: [],
    handler: ({ caller }) => passkeys.listPasskeys(caller),
  }),
  startPasskey: endpoint({
    method: 'post',
    path: `${path}/options`,
    summary: 'Get the options for a new passkey, valid for five minutes',
    auth: signedIn(),
    body: OwnerBody,
    status: 200,
    response: CreationOptions,
    errors: ['passkey_limit', ...ownerErrors],
    handler: ({ caller, body }) => startRegistration(caller, body.password),
  }),
  createPasskey: endpoint({
    method: 'post',
    path,
    summary: 'Store a new passkey; the account gets an email',
    auth: signedIn(),
    body: CreatePasskeyBody,
    status: 201,
    response: PasskeyResponse,
    errors: ['passkey_invalid', 'passkey_exists', 'passkey_limit'],
    handler: ({ caller, body, request }) => createPasskey(caller, body, request),
  }),
  renamePasskey: endpoint({
    method: 'put',
    path: `${path}/{passkey_id}`,
    summary: 'Rename a passkey',
    auth: signedIn(),
    params: PasskeyPath,
    body: RenamePasskeyBody,
    status: 200,
    response: PasskeyResponse,
    errors: ['passkey_not_found'],
    handler: ({ caller, params, body, request }) =>
      passkeys.renamePasskey(caller, params.passkey_id, body.name, request),
  }),
  deletePasskey: endpoint({
    method: 'delete',
    path: `${path}/{passkey_id}`,
    summary: 'Remove a passkey; the account gets an email',
    auth: signedIn(),
    params: PasskeyPath,
    body: OwnerBody,
    status: 200,
    response: Message,
    errors: ['passkey_not_found', ...ownerErrors],
    handler: ({ caller, params, body, request }) =>
      passkeys.deletePasskey(caller, { passkeyId: params.passkey_id, password: body.password }, request),
  }),
  startPasskeySignIn: endpoint({
    method: 'post',
    path: `${path}/sign-in/options`,
    summary: 'Get the options for a sign-in with a passkey, valid for five minutes',
    auth: anyone(),
    limit: 'credentials',
    body: SignInOptionsBody,
    status: 200,
    response: RequestOptions,
    errors: ['invalid_client'],
    handler: ({ body, request }) => startSignIn(body.client_id, request),
  }),
  signInByPasskey: endpoint({
    method: 'post',
    path: `${path}/sign-in`,
    summary: 'Sign in with a passkey, which replaces the password and the second factor',
    auth: anyone(),
    limit: 'credentials',
    body: SignInBody,
    status: 200,
    response: AuthenticationResponse,
    errors: ['passkey_invalid', 'invalid_client', 'merchant_suspended'],
    handler: ({ body, request }) => signInByPasskey(body, request),
  }),
  startPasskeyConfirmation: endpoint({
    method: 'post',
    path: `${path}/confirm/options`,
    summary: 'Get the options for a confirmation with a passkey, valid for five minutes',
    auth: signedIn(),
    status: 200,
    response: RequestOptions,
    errors: ['passkey_not_found'],
    handler: ({ caller }) => startConfirmation(caller),
  }),
  confirmByPasskey: endpoint({
    method: 'post',
    path: `${path}/confirm`,
    summary: 'Confirm the session with a passkey, for calls that require a recent second factor',
    auth: signedIn(),
    body: ConfirmBody,
    status: 200,
    response: Message,
    errors: ['passkey_invalid'],
    handler: ({ caller, body }) => confirmByPasskey(caller, body),
  }),
};
