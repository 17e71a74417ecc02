import { anyone } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { KeySet } from './tokens.schemas';
import * as tokens from './tokens';

export const tokenEndpoints = {
  getKeySet: endpoint({
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: 'Get the public keys that verify access tokens',
    auth: anyone(),
    status: 200,
    response: KeySet,
    errors: [],
    handler: () => Promise.resolve(tokens.getKeySet()),
  }),
};
