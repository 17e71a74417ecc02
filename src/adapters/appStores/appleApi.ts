import { createPrivateKey } from 'node:crypto';
import {
  APIException,
  AppStoreServerAPIClient,
  Environment,
  type SignedDataVerifier,
} from '@apple/app-store-server-library';
import { type AppleCredentials } from './credentials';
import { type CredentialProblem, type StoreEnvironment } from './store';

export interface AppleSettings {
  /** DER. Every certificate chain must end in one of them. */
  rootCertificates: Buffer[];
  /** Another address of the API, for tests; the sandbox has the same address with `/sandbox`. */
  apiBase: string | undefined;
  timeoutMs: number;
}

/**
 * Apple signs only in these two. The library skips the signature check in its other environments, so no input may
 * choose one of those.
 */
export const environments: Record<StoreEnvironment, Environment.PRODUCTION | Environment.SANDBOX> = {
  production: Environment.PRODUCTION,
  sandbox: Environment.SANDBOX,
};

/** One verifier for each environment, because Apple signs a purchase for its own environment only. */
export type Verifiers = Record<StoreEnvironment, SignedDataVerifier>;

/** The App Store Server API with one key. */
export class ApiClient extends AppStoreServerAPIClient {
  constructor(
    { privateKey, keyId, issuerId, bundleId }: AppleCredentials,
    private readonly environment: Environment,
    private readonly settings: AppleSettings,
  ) {
    super(privateKey, keyId, issuerId, bundleId, environment);
  }

  /** Adds a time limit, which the library does not have, and the address from the settings if there is one. */
  protected override makeFetchRequest(
    path: string,
    query: URLSearchParams,
    method: string,
    body: string | Buffer | undefined,
    headers: Record<string, string>,
  ): ReturnType<AppStoreServerAPIClient['makeFetchRequest']> {
    const { apiBase, timeoutMs } = this.settings;
    const other = apiBase && (this.environment === Environment.SANDBOX ? `${apiBase}/sandbox` : apiBase);
    const base = other ?? (this as unknown as { urlBase: string }).urlBase;
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = fetch(`${base}${path}?${query.toString()}`, {
      method,
      headers,
      signal,
      ...(body !== undefined && { body }),
    });
    return sent as unknown as ReturnType<AppStoreServerAPIClient['makeFetchRequest']>;
  }
}

export async function testCredentials(
  credentials: AppleCredentials,
  settings: AppleSettings,
): Promise<CredentialProblem[]> {
  try {
    createPrivateKey(credentials.privateKey);
  } catch {
    return [{ field: 'private_key', message: 'This is not a private key in PEM.' }];
  }
  try {
    await new ApiClient(credentials, Environment.SANDBOX, settings).requestTestNotification();
    return [];
  } catch (error) {
    const status = error instanceof APIException ? error.httpStatusCode : 0;
    if (status === 401)
      return [
        { field: 'private_key', message: 'Apple refuses the key: it, key_id, issuer_id and bundle_id must fit.' },
      ];
    if (status === 404)
      return [{ field: 'notifications', message: 'App Store Connect has no address for server notifications.' }];
    return [{ field: 'bundle_id', message: 'Apple is not available. Try again later.' }];
  }
}
