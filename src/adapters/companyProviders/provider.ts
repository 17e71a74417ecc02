/** The settings of a company's OpenID provider. */
export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** Binds an answer to the browser that began the sign-in. The provider receives only a hash of the verifier. */
export interface CompanyFlow {
  /** The address to which the provider redirects the person. */
  callback: URL;
  state: string;
  verifier: string;
  /** The provider must ask the person again, and must say when it did. */
  isFresh: boolean;
}

/** What an ID token says about a person. */
export interface CompanyProfile {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailIsVerified: boolean;
  name: string | undefined;
  /** The provider has checked more than one factor. */
  hasSecondFactor: boolean;
  /** When the person last signed in at the provider. Undefined if the provider does not say it. */
  signedInAt: Date | undefined;
}

/** A wrong field of the settings, with the reason. */
export interface ProviderProblem {
  field: 'issuer' | 'client_id' | 'client_secret';
  problem: 'not_public' | 'not_found' | 'mismatch' | 'no_answer' | 'unknown_client' | 'wrong_secret' | 'unreadable';
  message: string;
}

export type CompanyFault =
  | 'provider_unavailable'
  | 'provider_mismatch'
  | 'client_refused'
  | 'code_expired'
  | 'answer_invalid'
  | 'provider_refused'
  | 'access_denied';

/** The provider has not confirmed a sign-in. */
export class CompanyProviderError extends Error {
  override readonly name = 'CompanyProviderError';

  constructor(readonly fault: CompanyFault) {
    super(`The sign-in was not confirmed: ${fault}`);
  }
}
