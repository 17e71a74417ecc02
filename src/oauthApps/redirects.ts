import { baseUrl } from '../adapters/settings';
import { AppError } from '../kit/errors';
import { type Client, clientOf, findUsableApp } from './clients';

/**
 * Gets the client of an app that receives tokens by redirect. The address must equal a registered one exactly (RFC 9700
 * 2.1). Our own pages for the merchant's customers need no registration with the default app.
 */
export async function getClientOfRedirect(clientId: string, redirect: string): Promise<Client> {
  const app = await findUsableApp(clientId, 'password');
  const client = clientOf(app);
  if (!app?.redirectUris.includes(redirect) && !(app?.isDefault && isOwnEntry(redirect, client.merchantUuid)))
    throw new AppError('invalid_input', { errors: { state: "The redirect must be one of the app's redirect_uris." } });
  return client;
}

/** The paywall of one of the merchant's items, or the merchant's portal. */
function isOwnEntry(redirect: string, merchantUuid: string): boolean {
  const { origin } = new URL(baseUrl);
  const paths = [`paywall/${merchantUuid}/\\d+`, `portal/${merchantUuid}/sign-in`];
  const pattern = new RegExp(`^/(?:${paths.join('|')})(?:\\?[\\w=&-]*)?$`);
  return redirect.startsWith(`${origin}/`) && pattern.test(redirect.slice(origin.length));
}
