import * as openId from 'openid-client';
import { z } from 'zod';
import { type SocialProviderSettings } from '../../config';
import { codeFlow, timeoutSeconds } from './codeFlow';
import { type SocialProvider } from './provider';

const Me = z.object({ id: z.string().min(1), name: z.string().optional(), email: z.string().optional() });

const site = 'https://www.facebook.com';
const graph = 'https://graph.facebook.com/v23.0';

/** Facebook uses OAuth 2.0 with a profile format of its own, and does not report whether it has verified an address. */
export function facebook(settings: SocialProviderSettings): SocialProvider {
  const authorization = settings.authorization_endpoint ?? `${site}/v23.0/dialog/oauth`;
  const token = settings.token_endpoint ?? `${graph}/oauth/access_token`;
  const profile = settings.profile_endpoint ?? `${graph}/me`;
  const configuration = new openId.Configuration(
    { issuer: site, authorization_endpoint: authorization, token_endpoint: token },
    settings.client_id,
    settings.client_secret,
  );
  configuration.timeout = timeoutSeconds;
  // The settings allow plain http only on this machine.
  if (token.startsWith('http:')) openId.allowInsecureRequests(configuration);
  return codeFlow({
    name: settings.name,
    scope: 'email public_profile',
    hasIdToken: false,
    configure: () => Promise.resolve(configuration),
    readProfile: async (_configuration, { access_token }) => {
      const address = new URL(profile);
      address.searchParams.set('fields', 'id,name,email');
      const answer = await openId.fetchProtectedResource(configuration, access_token, address, 'GET');
      if (!answer.ok) throw new Error(`the profile was answered with ${answer.status}`);
      const { id, name, email } = Me.parse(await answer.json());
      return {
        subject: id,
        emailIsVerified: false,
        ...(email !== undefined && { email }),
        ...(name !== undefined && { name }),
      };
    },
  });
}
