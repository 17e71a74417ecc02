import { signedIn } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { PinBody, PinRequest } from './pinCodes.schemas';
import * as pinCodes from './pinCodes';

export const pinCodeEndpoints = {
  sendPinCode: endpoint({
    method: 'post',
    path: '/v2/accounts/pin-codes/send',
    summary: 'Mail a pin code to the account of the token',
    auth: signedIn(),
    limit: 'mails',
    body: PinRequest,
    status: 200,
    response: Message,
    errors: ['too_many_requests'],
    handler: ({ caller, body }) => pinCodes.sendPinCode(caller, body.branding_id),
  }),
  validatePinCode: endpoint({
    method: 'post',
    path: '/v2/accounts/pin-codes/validate',
    summary: 'Check the mailed pin code: valid once, for 10 minutes and 5 attempts',
    auth: signedIn(),
    limit: 'credentials',
    body: PinBody,
    status: 200,
    response: Message,
    errors: ['pin_code_invalid', 'too_many_requests'],
    handler: ({ caller, body }) => pinCodes.validatePinCode(caller, body.pin_code),
  }),
};
