import { merchant, openToActors, signedIn, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { removeCustomerFactor } from './customerFactors';
import * as enrolments from './enrolments';
import { confirmPassword, confirmRecentFactor } from './confirmations';
import * as secondFactors from './secondFactors';
import {
  CustomerPath,
  EnrolmentBody,
  FactorCodeBody,
  FactorPath,
  FactorsResponse,
  NewFactorResponse,
  PasswordBody,
  RecoveryCodesResponse,
} from './secondFactors.schemas';

const path = '/accounts/second-factors';

export const secondFactorEndpoints = {
  listSecondFactors: endpoint({
    method: 'get',
    path,
    summary: 'Get the second factor of the account, and the number of its recovery codes',
    auth: openToActors('accounts:read', signedIn()),
    status: 200,
    response: FactorsResponse,
    errors: [],
    handler: ({ caller }) => secondFactors.listFactors(caller),
  }),
  startSecondFactor: endpoint({
    method: 'post',
    path,
    summary: 'Create the secret for an authenticator app; confirm it within ten minutes',
    auth: signedIn(),
    body: EnrolmentBody,
    status: 201,
    response: NewFactorResponse,
    errors: [
      'missing_parameter',
      'wrong_password',
      'recent_password_required',
      'recent_factor_required',
      'second_factor_exists',
      'too_many_requests',
    ],
    handler: ({ caller, body }) => enrolments.startEnrolment(caller, body.password),
  }),
  confirmSecondFactor: endpoint({
    method: 'post',
    path: `${path}/{factor_id}/confirm`,
    summary: 'Switch the second factor on, with a code of the authenticator app; all other sessions of people end',
    auth: signedIn(),
    params: FactorPath,
    body: FactorCodeBody,
    status: 200,
    response: RecoveryCodesResponse,
    errors: ['second_factor_not_found', 'second_factor_exists', 'second_factor_code_invalid', 'too_many_requests'],
    handler: ({ caller, params, body, request }) =>
      enrolments.confirmEnrolment(caller, { factorId: params.factor_id, code: body.code }, request),
  }),
  deleteSecondFactor: endpoint({
    method: 'delete',
    path: `${path}/{factor_id}`,
    summary: 'Switch the second factor off, with one of its codes',
    auth: signedIn(),
    params: FactorPath,
    body: FactorCodeBody,
    status: 200,
    response: Message,
    errors: ['second_factor_not_found', 'second_factor_code_invalid', 'too_many_requests'],
    handler: ({ caller, params, body, request }) =>
      secondFactors.deleteFactor(caller, { factorId: params.factor_id, code: body.code }, request),
  }),
  removeCustomerFactor: endpoint({
    method: 'delete',
    path: '/v2/accounts/customers/{id}/second-factor',
    summary: 'Remove the second factor of a customer who has lost it; the customer gets an email',
    auth: withRecentFactor(merchant('accounts:write')),
    params: CustomerPath,
    status: 200,
    response: Message,
    errors: ['account_not_found', 'second_factor_not_found'],
    handler: ({ caller, params, request }) => removeCustomerFactor(caller, params.id, request),
  }),
  verifySecondFactor: endpoint({
    method: 'post',
    path: `${path}/verify`,
    summary: 'Enter a code in the session, for calls that require a recent one',
    auth: signedIn(),
    body: FactorCodeBody,
    status: 200,
    response: Message,
    errors: ['second_factor_not_found', 'second_factor_code_invalid', 'too_many_requests'],
    handler: ({ caller, body }) => confirmRecentFactor(caller, body.code),
  }),
  verifyPassword: endpoint({
    method: 'post',
    path: '/accounts/verify-password',
    summary: 'Enter the password in the session, for calls that require a recent one',
    auth: signedIn(),
    body: PasswordBody,
    status: 200,
    response: Message,
    errors: ['wrong_password', 'too_many_requests'],
    handler: ({ caller, body }) => confirmPassword(caller, body.password),
  }),
  createRecoveryCodes: endpoint({
    method: 'post',
    path: `${path}/recovery-codes`,
    summary: 'Replace the recovery codes, with a code of the second factor',
    auth: signedIn(),
    body: FactorCodeBody,
    status: 200,
    response: RecoveryCodesResponse,
    errors: ['second_factor_not_found', 'second_factor_code_invalid', 'too_many_requests'],
    handler: ({ caller, body, request }) => secondFactors.createRecoveryCodes(caller, body.code, request),
  }),
};
