import { consumer } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { ClaimBody, ClaimResponse, PlatformPath } from './externalPayments.schemas';
import * as externalPayments from './externalPayments';

const claim = {
  method: 'post',
  auth: consumer(),
  params: PlatformPath,
  body: ClaimBody,
  // The id of a transaction may look like a card number.
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
    summary: 'Present a purchase of an app store; an event reports the outcome',
    handler: ({ caller, params, body, request }) =>
      externalPayments.submitExternalPayment(caller, params.platform, body, request),
  }),
  validateExternalPaymentV2: endpoint({
    feature: 'app_stores',
    ...claim,
    path: '/v2/external-payments/{platform}/validate',
    summary: 'Present a purchase of an app store; an event reports the outcome (v2)',
    handler: ({ caller, params, body, request }) =>
      externalPayments.submitExternalPayment(caller, params.platform, body, request),
  }),
};
