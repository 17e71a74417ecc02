import * as openId from 'openid-client';
import { logger } from '../logger';
import { environmentName } from '../settings';
import { guardedFetch } from './guardedFetch';
import {
  type CompanyFault,
  type CompanyFlow,
  type CompanyProfile,
  CompanyProviderError,
  type ProviderSettings,
} from './provider';

const timeoutSeconds = 5;
const allowsHttp = environmentName === 'test';

/** The `acr` values that mean more than one factor. Other ones, such as `1`, mean what a provider chooses. */
const strongAcr: readonly unknown[] = [
  'mfa',
  'phr',
  'phrh',
  'https://refeds.org/profile/mfa',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
];

/** The authorization code flow with PKCE, a state and a nonce (RFC 9700), by a certified library. */
export async function authorizationUrl(settings: ProviderSettings, flow: CompanyFlow): Promise<URL> {
  try {
    return openId.buildAuthorizationUrl(await discover(settings), {
      redirect_uri: flow.callback.href,
      scope: 'openid email profile',
      state: flow.state,
      nonce: await nonceOf(flow),
      code_challenge: await openId.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      ...(flow.isFresh && { prompt: 'login', max_age: '0' }),
    });
  } catch (error) {
    throw asFault(settings, error);
  }
}

export async function getProfile(settings: ProviderSettings, flow: CompanyFlow): Promise<CompanyProfile> {
  try {
    const configuration = await discover(settings);
    const tokens = await openId.authorizationCodeGrant(configuration, flow.callback, {
      expectedState: flow.state,
      expectedNonce: await nonceOf(flow),
      pkceCodeVerifier: flow.verifier,
      idTokenExpected: true,
      // Entering a second factor takes time.
      ...(flow.isFresh && { maxAge: 600 }),
    });
    return await readProfile(configuration, tokens);
  } catch (error) {
    throw asFault(settings, error);
  }
}

/** Some providers put the e-mail address into the ID token, others only into the user info. */
async function readProfile(
  configuration: openId.Configuration,
  tokens: Awaited<ReturnType<typeof openId.authorizationCodeGrant>>,
): Promise<CompanyProfile> {
  const claims = tokens.claims();
  if (!claims) throw new CompanyProviderError('answer_invalid');
  const isComplete = claims['email'] !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined;
  const known: Record<string, unknown> = isComplete
    ? claims
    : { ...claims, ...(await openId.fetchUserInfo(configuration, tokens.access_token, claims.sub)) };
  const { email, name } = known;
  const { amr, acr, auth_time: signedInAt } = claims;
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: typeof email === 'string' ? email : undefined,
    emailIsVerified: known['email_verified'] === true || known['email_verified'] === 'true',
    name: typeof name === 'string' ? name : undefined,
    // RFC 8176.
    hasSecondFactor: (Array.isArray(amr) && amr.includes('mfa')) || strongAcr.includes(acr),
    // A clock that is ahead must not make a confirmation last longer.
    signedInAt: typeof signedInAt === 'number' ? new Date(Math.min(signedInAt * 1000, Date.now())) : undefined,
  };
}

/** Reads the provider's metadata. A provider that names another issuer is refused. This includes Microsoft's shared issuers. */
export async function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<openId.Configuration> {
  const address = new URL(issuer);
  const authenticate: openId.ClientAuth = (server, ...request) => {
    const isByForm = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
    return (isByForm ? openId.ClientSecretPost : openId.ClientSecretBasic)(clientSecret)(server, ...request);
  };
  const configuration = await openId.discovery(address, clientId, undefined, authenticate, {
    timeout: timeoutSeconds,
    [openId.customFetch]: guardedFetch,
    // The signature of an ID token is verified by the provider's published keys. TLS alone would prove only who sent it.
    execute: [openId.enableNonRepudiationChecks, ...(allowsHttp ? [openId.allowInsecureRequests] : [])],
  });
  const server = configuration.serverMetadata();
  if (URL.parse(server.issuer)?.href !== address.href) throw new CompanyProviderError('provider_mismatch');
  const { authorization_endpoint: page = '', token_endpoint: tokens, jwks_uri: keys } = server;
  const isUsable = /^https:/i.test(page) || (allowsHttp && /^http:/i.test(page));
  if (!isUsable || tokens === undefined || keys === undefined) throw new CompanyProviderError('provider_mismatch');
  return configuration;
}

/** The nonce of a flow can be computed only with its secret, which only the browser has (OpenID Connect 15.5.2). */
function nonceOf({ verifier }: CompanyFlow): Promise<string> {
  return openId.calculatePKCECodeChallenge(`nonce ${verifier}`);
}

function asFault({ issuer }: ProviderSettings, error: unknown): CompanyProviderError {
  const fault = faultOf(error);
  const { code, message } = error as { code?: unknown; message?: unknown };
  logger.warn({ issuer, fault, code, reason: message }, 'a company’s provider did not confirm a sign-in');
  return new CompanyProviderError(fault);
}

const ofClient = ['invalid_client', 'unauthorized_client'];
/** The answer came, and it is wrong. */
const invalidAnswer = /^OAUTH_(INVALID_RESPONSE|JWT_|KEY_SELECTION|UNSUPPORTED|PARSE_ERROR)/;
const mismatch = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';

export function faultOf(error: unknown): CompanyFault {
  if (error instanceof CompanyProviderError) return error.fault;
  if (error instanceof openId.AuthorizationResponseError)
    return error.error === 'access_denied' ? 'access_denied' : 'provider_refused';
  if (error instanceof openId.WWWAuthenticateChallengeError) return 'client_refused';
  if (error instanceof openId.ResponseBodyError) {
    if (ofClient.includes(error.error)) return 'client_refused';
    return error.error === 'invalid_grant' ? 'code_expired' : 'provider_refused';
  }
  const code = error instanceof openId.ClientError ? (error.code ?? '') : '';
  if (code === mismatch) return 'provider_mismatch';
  return invalidAnswer.test(code) ? 'answer_invalid' : 'provider_unavailable';
}
