import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import jsonwebtoken from 'jsonwebtoken';

export type Claims = Record<string, unknown>;

export interface IdTokenIssuer {
  address: string;
  /** The issuer in the metadata; at first its own address. */
  issuer: string;
  /** Writes the ID token of the next answer. */
  write: (claims: Claims) => string;
  /** The token that an honest provider writes. */
  signed(claims: Claims): string;
  stop(): Promise<void>;
}

const kid = 'known';
const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Signed by a key that the provider does not publish, under the name of the one that it does. */
export function signedByAnother(claims: Claims): string {
  return jsonwebtoken.sign(claims, newKey().privateKey, { algorithm: 'RS256', keyid: kid });
}

/** An OpenID Connect provider whose ID tokens can be wrong: metadata, keys, and a token for every code. */
export async function startIdTokenIssuer(): Promise<IdTokenIssuer> {
  const { privateKey, publicKey } = newKey();
  const answers: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': () => ({
      issuer: issuer.issuer,
      authorization_endpoint: `${issuer.address}/authorize`,
      token_endpoint: `${issuer.address}/token`,
      jwks_uri: `${issuer.address}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    '/keys': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }] }),
    '/token': () => {
      const seconds = Math.floor(Date.now() / 1000);
      const claims = { iss: issuer.address, sub: 'ana', iat: seconds, exp: seconds + 60 };
      return { access_token: 'opens-nothing', token_type: 'bearer', id_token: issuer.write(claims) };
    },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    response.writeHead(answer ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(answer?.() ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const signed = (claims: Claims) => jsonwebtoken.sign(claims, privateKey, { algorithm: 'RS256', keyid: kid });
  const issuer: IdTokenIssuer = {
    address,
    issuer: address,
    write: signed,
    signed,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return issuer;
}
