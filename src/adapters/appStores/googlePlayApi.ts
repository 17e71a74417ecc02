import { createPrivateKey } from 'node:crypto';
import { sign } from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { type GooglePlayCredentials } from './credentials';
import { type CredentialProblem } from './store';

export interface GooglePlaySettings {
  /** `https://androidpublisher.googleapis.com`, `https://oauth2.googleapis.com/token`, and Google's public keys. */
  apiBase: string;
  tokenUrl: string;
  keysUrl: string;
  timeoutMs: number;
}

export interface ApiAnswer {
  status: number;
  body: unknown;
}

/** Google did not answer about the purchase: it is not available, or it refuses the credentials. */
export class Unavailable extends Error {
  constructor(readonly status: number) {
    super(`Google answered ${status}`);
  }
}

/** Makes one call with an access token, which is fetched if needed. Throws `Unavailable` if Google issues none. */
export async function askGoogle(
  credentials: GooglePlayCredentials,
  settings: GooglePlaySettings,
  url: string,
  method: 'GET' | 'POST',
): Promise<ApiAnswer> {
  const token = await getAccessToken(credentials, settings);
  const answer = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(method === 'POST' && { 'Content-Length': '0' }) },
    signal: AbortSignal.timeout(settings.timeoutMs),
  });
  if (answer.status === 401) accessTokens.delete(nameOf(credentials));
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as unknown) };
}

/** By key, so that a changed key gets a new token. Google's tokens are valid for an hour. */
const accessTokens = new LRUCache<string, string>({ max: 1_000, ttl: 50 * 60_000 });

/** OAuth 2.0 for service accounts: an assertion that is signed with our key is exchanged for a token of one hour. */
async function getAccessToken(credentials: GooglePlayCredentials, settings: GooglePlaySettings): Promise<string> {
  const known = accessTokens.get(nameOf(credentials));
  if (known !== undefined) return known;
  const assertion = sign({ scope: 'https://www.googleapis.com/auth/androidpublisher' }, credentials.privateKey, {
    algorithm: 'RS256',
    issuer: credentials.clientEmail,
    audience: settings.tokenUrl,
    expiresIn: '1h',
  });
  const answer = await fetch(settings.tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
    signal: AbortSignal.timeout(settings.timeoutMs),
  });
  // Google answers a refused assertion with 400. The cause is the credentials, not the purchase.
  if (!answer.ok) throw new Unavailable(answer.status === 400 ? 401 : answer.status);
  const { access_token } = (await answer.json()) as { access_token: string };
  accessTokens.set(nameOf(credentials), access_token);
  return access_token;
}

const nameOf = ({ clientEmail, privateKey }: GooglePlayCredentials) => `${clientEmail}\n${privateKey}`;

export async function testCredentials(
  credentials: GooglePlayCredentials,
  settings: GooglePlaySettings,
  ask: () => Promise<ApiAnswer>,
): Promise<CredentialProblem[]> {
  try {
    if (createPrivateKey(credentials.privateKey).asymmetricKeyType !== 'rsa') throw new TypeError();
  } catch {
    return [{ field: 'private_key', message: 'This is not an RSA private key in PEM.' }];
  }
  try {
    await getAccessToken(credentials, settings);
  } catch (error) {
    if (error instanceof Unavailable && error.status === 401)
      return [{ field: 'client_email', message: 'Google does not take this key of this service account.' }];
    return [{ field: 'client_email', message: 'Google is not available. Try again later.' }];
  }
  const { status } = await ask().catch(() => ({ status: 0 }));
  if (status === 200) return [];
  if (status === 401 || status === 403)
    return [{ field: 'client_email', message: "The service account may not see this app's orders in Play Console." }];
  if (status === 404) return [{ field: 'package_name', message: 'Google does not know this app.' }];
  return [{ field: 'package_name', message: 'Google is not available. Try again later.' }];
}
