import { type IssuedTokens } from '../tokens/tokens.schemas';

/** No refresh token: a session in another's name ends for good. */
export function presentToken({ accessToken, expiresAtSeconds }: IssuedTokens) {
  return { access_token: accessToken, expires: expiresAtSeconds, expires_at: expiresAtSeconds };
}
