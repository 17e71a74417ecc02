import * as openId from 'openid-client';
import { type SocialProviderSettings } from '../../config';
import { codeFlow, timeoutSeconds } from './codeFlow';
import { type SocialProvider } from './provider';

const metadataForMs = 3_600_000;

/** Any provider that publishes its addresses and keys, such as Google. */
export function openIdConnect(settings: SocialProviderSettings & { issuer: string }): SocialProvider {
  return codeFlow({
    name: settings.name,
    scope: 'openid email profile',
    hasIdToken: true,
    configure: remembered(() => discover(settings)),
    readProfile: async (configuration, tokens) => {
      const claims = tokens.claims();
      if (!claims) throw new Error('the answer holds no ID token');
      const isComplete =
        claims['email'] !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined;
      // Some providers put the e-mail address into the ID token, others only into the user info that the access token
      // opens.
      const known = isComplete
        ? claims
        : { ...claims, ...(await openId.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
      return {
        subject: claims.sub,
        emailIsVerified: known['email_verified'] === true || known['email_verified'] === 'true',
        ...(typeof known['email'] === 'string' && { email: known['email'] }),
        ...(typeof known['name'] === 'string' && { name: known['name'] }),
      };
    },
  });
}

function discover({ issuer, client_id, client_secret }: SocialProviderSettings & { issuer: string }) {
  const address = new URL(issuer);
  return openId.discovery(address, client_id, client_secret, undefined, {
    timeout: timeoutSeconds,
    // The signature of an ID token is verified by the provider's published keys. TLS alone would prove only who sent it.
    execute: [
      openId.enableNonRepudiationChecks,
      // The settings allow plain http only on this machine.
      ...(address.protocol === 'http:' ? [openId.allowInsecureRequests] : []),
    ],
  });
}

/** Discovery is cached for an hour. A failed one is tried again. */
function remembered<T>(read: () => Promise<T>): () => Promise<T> {
  let known: { result: Promise<T>; readAtMs: number } | undefined;
  return () => {
    if (known && Date.now() - known.readAtMs < metadataForMs) return known.result;
    const result = read();
    known = { result, readAtMs: Date.now() };
    result.catch(() => (known = undefined));
    return result;
  };
}
