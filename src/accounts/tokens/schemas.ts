import { z } from 'zod';
import { type Scope } from '../../kit/auth';

/** How a session is opened when it is no ordinary sign-in. */
export interface SessionOptions {
  /** Who acts in the account's name. Such a session cannot be renewed, and ends with the session it was opened from. */
  act?: { accountUuid: string; sessionId?: string };
  lifetimeSeconds?: number;
  /** Fewer than the account has; absent: all of them. */
  scopes?: readonly Scope[];
  /** What the password that was shown fits: nobody signs in when it is another by now. */
  passwordHash?: string;
  grantType?: 'password' | 'client_credentials' | 'social';
}

/** What a sign-in gives. `expiresAtSeconds` is Unix time, 30 days ahead unless asked otherwise (spec 8). */
export interface IssuedTokens {
  accessToken: string;
  /** Empty when the session cannot be renewed. */
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
