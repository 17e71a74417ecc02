import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/**
 * An OpenID Connect provider on a port of its own, for `startOidcServer`. The login names the person who signs in:
 * `verified:ana@example.org`, `unverified:ana@example.org`, or `nameless:anything` without an address. After
 * `mfa:ana@example.org`, the address is verified and the ID token names a second factor. A `*` in the redirect address
 * stands for a part of its path.
 */
const [clientId, clientSecret, redirectUri] = process.argv.slice(2);

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] },
        require_auth_time: true,
      },
    ],
    claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    findAccount: (_context, login) => ({ accountId: login, claims: () => claimsOf(login) }),
  });
  const [before, after] = redirectUri.split('*');
  if (after !== undefined)
    provider.Client.prototype.redirectUriAllowed = (address) => address.startsWith(before) && address.endsWith(after);
  const { loginAccount } = provider.Session.prototype;
  provider.Session.prototype.loginAccount = function (details) {
    const isStrong = details.accountId.startsWith('mfa:');
    return loginAccount.call(this, { ...details, ...(isStrong && { amr: ['pwd', 'otp', 'mfa'] }) });
  };
  server.on('request', provider.callback());
  process.send(issuer);
});
process.once('disconnect', () => process.exit(0));

function claimsOf(login) {
  const [kind, address] = login.split(/:(.*)/s);
  if (kind === 'nameless') return { sub: login };
  return { sub: login, name: 'Ana Petrova', email: address, email_verified: kind !== 'unverified' };
}
