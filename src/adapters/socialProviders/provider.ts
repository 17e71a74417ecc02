/** Who somebody is at a provider. `email` counts as theirs only when the provider says that it was verified. */
export interface SocialProfile {
  subject: string;
  email?: string;
  emailIsVerified: boolean;
  name?: string;
}

/** What binds an answer to the browser that asked: its secret is sent to the provider as a hash (PKCE, nonce). */
export interface SocialFlow {
  /** Where the provider sends the person back to. */
  callback: URL;
  state: string;
  verifier: string;
}

/** A provider of identities that an operator has configured. */
export interface SocialProvider {
  /** As in `social_urls` and in paths. */
  name: string;
  /** Where a person signs in. Throws when the provider cannot be reached. */
  authorizationUrl(flow: SocialFlow): Promise<URL>;
  /** Redeems an answer's code. `callback` holds what the provider added. Throws `SocialRefusal`, and when away. */
  getProfile(flow: SocialFlow): Promise<SocialProfile>;
}

/** The provider, or the person there, said no. `reason` is an error code of RFC 6749 4.1.2.1. */
export class SocialRefusal extends Error {
  constructor(readonly reason: string) {
    super(`The sign-in was refused: ${reason}`);
    this.name = 'SocialRefusal';
  }
}
