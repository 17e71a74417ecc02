/** A person's identity at a provider. `email` proves ownership only if the provider reports that it is verified. */
export interface SocialProfile {
  subject: string;
  email?: string;
  emailIsVerified: boolean;
  name?: string;
}

/**
 * Binds a response to the browser that made the request. The provider receives only a hash of the secret (PKCE, nonce).
 */
export interface SocialFlow {
  /** The address to which the provider redirects the person. */
  callback: URL;
  state: string;
  verifier: string;
}

/** An identity provider that the operator has configured. */
export interface SocialProvider {
  /** The name in `social_urls` and in paths. */
  name: string;
  /** The address where a person signs in. Throws if the provider cannot be reached. */
  authorizationUrl(flow: SocialFlow): Promise<URL>;
  /**
   * Redeems the code of a response. `callback` contains the parameters that the provider added. Throws `SocialRefusal`,
   * and an error if the provider is unavailable.
   */
  getProfile(flow: SocialFlow): Promise<SocialProfile>;
}

/** The provider or the person has refused. `reason` is an error code of RFC 6749 4.1.2.1. */
export class SocialRefusal extends Error {
  constructor(readonly reason: string) {
    super(`The sign-in was refused: ${reason}`);
    this.name = 'SocialRefusal';
  }
}
