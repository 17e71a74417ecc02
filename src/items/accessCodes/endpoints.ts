import { anyone, merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { ItemPath } from '../schemas';
import {
  AccessCodeBody,
  AccessCodeResponse,
  CodePath,
  CodeSessionPath,
  CodeSessions,
  EntryBody,
  EntryResponse,
} from './schemas';
import * as accessCodes from './service';

export const accessCodeEndpoints = {
  createAccessCode: endpoint({
    method: 'post',
    path: '/items/{id}/access/codes',
    summary: 'Make a code that opens the item on a number of devices',
    auth: merchant('items:write'),
    params: ItemPath,
    body: AccessCodeBody,
    status: 201,
    response: AccessCodeResponse,
    errors: ['item_not_found', 'access_code_exists'],
    handler: ({ caller, params, body }) => accessCodes.createAccessCode(caller, params.id, body),
  }),
  enterAccessCode: endpoint({
    method: 'post',
    path: '/items/access/codes/entry',
    summary: 'Enter a code, and see the item on this device',
    auth: anyone(),
    body: EntryBody,
    status: 200,
    response: EntryResponse,
    errors: ['access_code_in_use', 'invalid_access_code', 'access_restricted', 'item_not_found', 'too_many_requests'],
    handler: ({ body, request }) => accessCodes.enterAccessCode(body, request),
  }),
  listCodeSessions: endpoint({
    method: 'get',
    path: '/items/access/codes/{code_id}/sessions',
    summary: 'The devices that use a code, for who knows it',
    auth: anyone(),
    params: CodePath,
    status: 200,
    response: CodeSessions,
    errors: ['access_code_not_found', 'too_many_requests'],
    handler: ({ params, request }) => accessCodes.listCodeSessions(params.code_id, request),
  }),
  deleteCodeSession: endpoint({
    method: 'delete',
    path: '/items/access/codes/{code_id}/{fingerprint}',
    summary: 'Make room for another device, for who knows the code; again does no harm',
    auth: anyone(),
    params: CodeSessionPath,
    status: 200,
    response: Message,
    errors: ['access_code_not_found', 'too_many_requests'],
    handler: ({ params, request }) => accessCodes.deleteCodeSession(params, request),
  }),
};
