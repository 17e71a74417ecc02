import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/**
 * An OpenID Connect provider on a port of its own, for `startOidcServer`. Whoever signs in there is whom the login says:
 * `verified:ana@example.org`, `unverified:ana@example.org`, or `nameless:anything` without an address.
 */
const [clientId, clientSecret, redirectUri] = process.argv.slice(2);

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    findAccount: (_context, login) => ({ accountId: login, claims: () => claimsOf(login) }),
  });
  server.on('request', provider.callback());
  process.send(issuer);
});
process.once('disconnect', () => process.exit(0));

function claimsOf(login) {
  const [kind, address] = login.split(/:(.*)/s);
  if (kind === 'nameless') return { sub: login };
  return { sub: login, name: 'Ana Petrova', email: address, email_verified: kind === 'verified' };
}
