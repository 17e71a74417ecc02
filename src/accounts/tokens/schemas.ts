import { z } from 'zod';

/** What a sign-in gives. `expiresAtSeconds` is Unix time, 30 days ahead (spec 8). */
export interface IssuedTokens {
  accessToken: string;
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
