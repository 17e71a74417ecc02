import * as openId from 'openid-client';
import { PrivateAddressError } from '../publicAddresses';
import { guardedFetch } from './guardedFetch';
import { discover, faultOf } from './openId';
import { type ProviderProblem, type ProviderSettings } from './provider';

/**
 * Tests the settings of a provider without a person. The metadata test the issuer. A code that the provider did not give
 * tests the client: a provider refuses the code only after it has accepted the secret.
 */
export async function findProblems(settings: ProviderSettings, callback: URL): Promise<ProviderProblem[]> {
  let configuration: openId.Configuration;
  try {
    configuration = await discover(settings);
  } catch (error) {
    return [wrongIssuer(error)];
  }
  const isKnown = await knowsClient(configuration, callback);
  const fault = await tryCode(configuration, callback);
  if (fault === 'client_refused') return [isKnown === false ? unknownClient(callback) : wrongSecret];
  if (isKnown === false) return [unknownClient(callback)];
  return fault === 'provider_unavailable' ? [noAnswer] : [];
}

const wrongSecret: ProviderProblem = {
  field: 'client_secret',
  problem: 'wrong_secret',
  message: 'The provider does not accept the secret of this client.',
};

const noAnswer: ProviderProblem = {
  field: 'issuer',
  problem: 'no_answer',
  message: 'The token endpoint of the provider does not answer.',
};

const unknownClient = ({ href }: URL): ProviderProblem => ({
  field: 'client_id',
  problem: 'unknown_client',
  message: `The provider does not know this client with the redirect address ${href}.`,
});

function wrongIssuer(error: unknown): ProviderProblem {
  const field = 'issuer';
  if (isPrivate(error)) return { field, problem: 'not_public', message: 'The address is not public.' };
  return faultOf(error) === 'provider_mismatch'
    ? { field, problem: 'mismatch', message: 'The provider at this address names another issuer, or cannot be used.' }
    : { field, problem: 'not_found', message: 'No OpenID provider answers at this address.' };
}

function isPrivate(error: unknown): boolean {
  return error instanceof PrivateAddressError || (error instanceof Error && isPrivate(error.cause));
}

async function tryCode(configuration: openId.Configuration, callback: URL) {
  const address = new URL(callback);
  address.searchParams.set('code', 'a-code-that-the-provider-did-not-give');
  const { issuer, authorization_response_iss_parameter_supported: namesIssuer } = configuration.serverMetadata();
  if (namesIssuer) address.searchParams.set('iss', issuer);
  try {
    const pkceCodeVerifier = openId.randomPKCECodeVerifier();
    await openId.authorizationCodeGrant(configuration, address, { pkceCodeVerifier });
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}

/**
 * Whether the provider knows the client with its redirect address. Without a signed-in person it answers the page of a
 * known client with a redirect to us, and that of an unknown client with an error. Undefined if it does neither.
 */
async function knowsClient(configuration: openId.Configuration, callback: URL): Promise<boolean | undefined> {
  const challenge = await openId.calculatePKCECodeChallenge(openId.randomPKCECodeVerifier());
  const address = openId.buildAuthorizationUrl(configuration, {
    ...{ redirect_uri: callback.href, scope: 'openid email profile', prompt: 'none' },
    ...{ state: openId.randomState(), nonce: openId.randomNonce() },
    ...{ code_challenge: challenge, code_challenge_method: 'S256' },
  });
  const options = { method: 'GET', headers: {}, body: undefined, redirect: 'manual' } as const;
  const signal = AbortSignal.timeout(5_000);
  try {
    const { status, headers } = await guardedFetch(address.href, { ...options, signal });
    if (headers.get('location')?.startsWith(callback.href)) return true;
    return status >= 400 && status < 500 ? false : undefined;
  } catch {
    return undefined;
  }
}
