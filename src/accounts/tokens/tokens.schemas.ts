import { z } from 'zod';
import { type Scope } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';

export type GrantType = 'password' | 'client_credentials' | 'social' | 'company';

/** Options of a session that is not an ordinary sign-in. */
export interface SessionOptions {
  /**
   * The account that acts in this account's name. Such a session cannot be renewed, and it ends with the session from
   * which it was opened.
   */
  act?: { accountUuid: string; sessionId?: string };
  lifetimeSeconds?: number;
  /** A subset of the account's scopes; absent for all of them. */
  scopes?: readonly Scope[];
  /** The hash of the checked password. The sign-in is refused if the password has changed since. */
  passwordHash?: string;
  /**
   * Whether a code of the account's second factor was accepted. Without it, an account that has a factor is not signed
   * in.
   */
  isFactorProven?: boolean;
  /** When that was, if it was in an earlier session. */
  factorProvenAt?: Date;
  /** The company's provider has checked a second factor, which counts where the merchant requires one. */
  hasCompanyFactor?: boolean;
  /** When the company's provider last asked for the password. */
  passwordProvenAt?: Date;
  /** The request of the sign-in: its device and place are shown to the owner of the account. */
  request?: RequestFacts;
  grantType?: GrantType;
}

/** The tokens of a sign-in. `expiresAtSeconds` is Unix time, 30 days ahead by default. */
export interface IssuedTokens {
  accessToken: string;
  /** Empty if the session cannot be renewed. */
  refreshToken: string;
  expiresAtSeconds: number;
}

export const KeySet = z.object({
  keys: z.array(
    z.object({
      kty: z.string(),
      crv: z.string(),
      x: z.string(),
      y: z.string(),
      kid: z.string(),
      use: z.string(),
      alg: z.string(),
    }),
  ),
});
