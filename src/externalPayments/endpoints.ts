import { consumer } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { ClaimBody, ClaimResponse, PlatformPath } from './schemas';
import * as externalPayments from './service';

const claim = {
  method: 'post',
  auth: consumer(),
  params: PlatformPath,
  body: ClaimBody,
  // A transaction's id may look like one.
  cardNumberFields: ['receipt'],
  status: 202,
  response: ClaimResponse,
  errors: ['missing_parameter', 'item_not_found', 'access_fee_not_found'],
} as const;

export const externalPaymentEndpoints = {
  validateExternalPayment: endpoint({
    feature: 'app_stores',
    ...claim,
    path: '/external-payments/{platform}/validate',
    summary: 'Present what was bought in an app store; the outcome comes as an event',
    handler: ({ caller, params, body, request }) =>
      externalPayments.submitExternalPayment(caller, params.platform, body, request),
  }),
  validateExternalPaymentV2: endpoint({
    feature: 'app_stores',
    ...claim,
    path: '/v2/external-payments/{platform}/validate',
    summary: 'Present what was bought in an app store; the outcome comes as an event (v2)',
    handler: ({ caller, params, body, request }) =>
      externalPayments.submitExternalPayment(caller, params.platform, body, request),
  }),
};
