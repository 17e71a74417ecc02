import { type IssuedTokens } from '../tokens/tokens.schemas';

/** Without a refresh token, because a session in another account's name cannot be renewed. */
export function presentToken({ accessToken, expiresAtSeconds }: IssuedTokens) {
  return { access_token: accessToken, expires: expiresAtSeconds, expires_at: expiresAtSeconds };
}
