import { anyone } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { KeySet } from './schemas';
import * as tokens from './service';

export const tokenEndpoints = {
  getKeySet: endpoint({
    method: 'get',
    path: '/.well-known/jwks.json',
    summary: 'The public keys that access tokens are signed with',
    auth: anyone(),
    status: 200,
    response: KeySet,
    errors: [],
    handler: () => Promise.resolve(tokens.getKeySet()),
  }),
};
