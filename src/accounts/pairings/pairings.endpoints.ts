import { anyone, consumer } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { AuthenticationResponse } from '../accounts.schemas';
import * as pairings from './pairings';
import { AnswerBody, PairingPath, PairingResponse, StartBody, StartedPairing, TokenBody } from './pairings.schemas';

const path = '/v2/accounts/pairings';

export const pairingEndpoints = {
  startPairing: endpoint({
    method: 'post',
    path,
    summary: 'A code with which a customer signs in a device without a keyboard; valid for ten minutes',
    auth: anyone(),
    body: StartBody,
    status: 201,
    response: StartedPairing,
    errors: ['invalid_client'],
    handler: ({ body, request }) => pairings.startPairing(body, request),
  }),
  signInPaired: endpoint({
    method: 'post',
    path: `${path}/token`,
    summary: 'The session of a device after the customer has confirmed it; the device polls',
    auth: anyone(),
    body: TokenBody,
    status: 200,
    response: AuthenticationResponse,
    errors: [
      ...(['authorization_pending', 'slow_down', 'access_denied', 'expired_token'] as const),
      ...(['invalid_client', 'second_factor_required'] as const),
    ],
    handler: ({ body, request }) => pairings.signInPaired(body, request),
  }),
  getPairing: endpoint({
    method: 'get',
    path: `${path}/{user_code}`,
    summary: 'The device that shows a code',
    auth: consumer(),
    params: PairingPath,
    status: 200,
    response: PairingResponse,
    errors: ['pairing_not_found', 'too_many_requests'],
    handler: ({ caller, params }) => pairings.getPairing(caller, params.user_code),
  }),
  answerPairing: endpoint({
    method: 'put',
    path: `${path}/{user_code}`,
    summary: 'Sign in the device that shows a code, or refuse it',
    auth: consumer(),
    params: PairingPath,
    body: AnswerBody,
    status: 200,
    response: Message,
    errors: ['pairing_not_found', 'too_many_requests'],
    handler: ({ caller, params, body }) => pairings.answerPairing(caller, params.user_code, body),
  }),
};
