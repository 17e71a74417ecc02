import * as openId from 'openid-client';
import { AppError } from '../../kit/errors';
import { logger } from '../logger';
import { SocialRefusal, type SocialFlow, type SocialProfile, type SocialProvider } from './provider';

/** The differences between providers. */
interface Dialect {
  name: string;
  scope: string;
  configure(): Promise<openId.Configuration>;
  /** OpenID Connect: the response contains a signed statement of the identity, valid for this flow only. */
  hasIdToken: boolean;
  readProfile(configuration: openId.Configuration, tokens: Tokens): Promise<SocialProfile>;
}

export type Tokens = Awaited<ReturnType<typeof openId.authorizationCodeGrant>>;

export const timeoutSeconds = 5;

/** The OAuth 2.0 authorization code flow with PKCE (RFC 9700), by a certified library. */
export function codeFlow(dialect: Dialect): SocialProvider {
  return {
    name: dialect.name,
    authorizationUrl: async (flow) => {
      const configuration = await dialect.configure().catch((error: unknown) => unavailable(dialect, error));
      return openId.buildAuthorizationUrl(configuration, {
        redirect_uri: flow.callback.href,
        scope: dialect.scope,
        state: flow.state,
        code_challenge: await openId.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        ...(dialect.hasIdToken && { nonce: await nonceOf(flow) }),
      });
    },
    getProfile: async (flow) => {
      try {
        const configuration = await dialect.configure();
        const tokens = await openId.authorizationCodeGrant(configuration, flow.callback, {
          expectedState: flow.state,
          pkceCodeVerifier: flow.verifier,
          ...(dialect.hasIdToken && { expectedNonce: await nonceOf(flow), idTokenExpected: true }),
        });
        return await dialect.readProfile(configuration, tokens);
      } catch (error) {
        throw asRefusal(dialect, error);
      }
    },
  };
}

/** The nonce of a flow can be computed only with its secret, which only the browser has (OpenID Connect 15.5.2). */
function nonceOf(flow: SocialFlow): Promise<string> {
  return openId.calculatePKCECodeChallenge(`nonce ${flow.verifier}`);
}

function unavailable(dialect: Dialect, error: unknown): never {
  logger.warn({ provider: dialect.name, reason: reasonOf(error) }, 'a sign-in provider is unavailable');
  throw new AppError('social_provider_unavailable');
}

function asRefusal(dialect: Dialect, error: unknown): SocialRefusal {
  if (error instanceof openId.AuthorizationResponseError) return new SocialRefusal(error.error);
  logger.warn({ provider: dialect.name, reason: reasonOf(error) }, 'a sign-in provider did not confirm a sign-in');
  return new SocialRefusal('server_error');
}

function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: unknown; code?: unknown };
  return [code, message].filter((part) => typeof part === 'string').join(': ');
}
