import { baseUrl } from '../adapters/settings';
import { AppError } from '../kit/errors';
import { type Client, clientOf, findUsableApp } from './clients';

/** A client, and whether it may receive tokens at the address of a redirect. */
export interface RedirectingClient extends Client {
  isRegistered: boolean;
}

/**
 * Finds the client of an app that wants to receive tokens by redirect. The address must equal a registered one exactly
 * (RFC 9700 2.1), unless the merchant has registered its whole origin. Our own pages for the merchant's customers need
 * no registration with the default app.
 */
export async function readRedirect(clientId: string, redirect: string): Promise<RedirectingClient> {
  const app = await findUsableApp(clientId, 'password');
  const client = clientOf(app);
  const isOwn = app?.isDefault === true && isOwnEntry(redirect, client.merchantUuid);
  const isRegistered =
    app?.redirectUris.includes(redirect) === true || isAtOrigin(redirect, app?.redirectOrigins ?? []);
  return { ...client, isRegistered: isOwn || isRegistered };
}

/** Gets the client of a registered redirect. */
export async function getClientOfRedirect(clientId: string, redirect: string): Promise<Client> {
  const { isRegistered, ...client } = await readRedirect(clientId, redirect);
  if (!isRegistered) throw new AppError('invalid_input', { errors: { state: unregistered } });
  return client;
}

export const unregistered = "The redirect must be one of the app's redirect_uris, or at one of its redirect_origins.";

/** Only for addresses of the web: other schemes have no origin. */
function isAtOrigin(redirect: string, origins: readonly string[]): boolean {
  if (!URL.canParse(redirect) || /[\s#\\]/.test(redirect)) return false;
  const { origin, username, password } = new URL(redirect);
  return origins.includes(origin) && username === '' && password === '';
}

/** Whether an address is a page of this service. Such a page never receives a token in its address. */
export function isOwnPage(redirect: string): boolean {
  return new URL(redirect).origin === new URL(baseUrl).origin;
}

/** The paywall of one of the merchant's items, or the merchant's portal. */
function isOwnEntry(redirect: string, merchantUuid: string): boolean {
  const { origin } = new URL(baseUrl);
  const paths = [`paywall/${merchantUuid}/\\d+`, `portal/${merchantUuid}/sign-in`];
  const pattern = new RegExp(`^/(?:${paths.join('|')})(?:\\?[\\w=&-]*)?$`);
  return redirect.startsWith(`${origin}/`) && pattern.test(redirect.slice(origin.length));
}
