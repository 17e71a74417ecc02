import { logger } from '../logger';
import { type GooglePlayCredentials } from './credentials';
import { askGoogle, testCredentials, Unavailable, type GooglePlaySettings } from './googlePlayApi';
import { readNotification } from './googlePlayNotification';
import { describeProduct, describeSubscription, type Product, type Subscription } from './googlePlayPurchase';
import { refused, type AppStore, type ReceiptClaim, type StoreAnswer } from './store';

/**
 * Google Play by five calls of its Developer API. Google's own client would bring its generated code for every other
 * call, and no way to reach another address.
 */
export function createGooglePlay(credentials: GooglePlayCredentials, settings: GooglePlaySettings): AppStore {
  const { packageName } = credentials;
  const purchases = `${settings.apiBase}/androidpublisher/v3/applications/${encodeURIComponent(packageName)}/purchases`;
  const call = (path: string, method: 'GET' | 'POST' = 'GET') =>
    askGoogle(credentials, settings, purchases + path, method);

  const read = async (token: string): Promise<StoreAnswer> => {
    const name = encodeURIComponent(token);
    const subscription = await call(`/subscriptionsv2/tokens/${name}`);
    if (subscription.status === 200) return describeSubscription(subscription.body as Subscription, token, call);
    if (!isUnknown(subscription.status)) return failed(subscription.status);
    const product = await call(`/productsv2/tokens/${name}`);
    if (product.status !== 200) return failed(product.status);
    return { outcome: 'found', purchase: describeProduct(product.body as Product, token) };
  };

  return {
    name: 'google-play',

    validate: (claim) =>
      answering(() => {
        const claimed = readClaim(claim);
        if (claimed.token === '') return refused('invalid_receipt', 'The receipt holds no purchase token.');
        if ((claimed.packageName ?? packageName) !== packageName)
          return refused('wrong_app', 'The purchase is of another app.');
        return read(claimed.token);
      }),

    lookUp: (reference) => answering(() => read(reference.id)),

    async acknowledge({ kind, reference }) {
      const of = kind === 'subscription' ? 'subscriptions' : 'products';
      const path = `/${of}/${encodeURIComponent(reference.productId)}/tokens/${encodeURIComponent(reference.id)}:acknowledge`;
      const { status } = await call(path, 'POST').catch(() => ({ status: 0 }));
      return status >= 200 && status < 300 ? 'done' : 'unavailable';
    },

    readNotification: (body, headers) => readNotification(body, headers, credentials, settings),

    testCredentials: () => testCredentials(credentials, settings, () => call('/voidedpurchases?maxResults=1')),
  };
}

/** The purchase object as the app has it (wire E.2), or the token alone. */
function readClaim({ receipt, packageName }: ReceiptClaim): { token: string; packageName?: string | undefined } {
  const text = receipt.trim();
  if (!text.startsWith('{')) return { token: /^[\w.~-]{1,1500}$/.test(text) ? text : '', packageName };
  try {
    const sent = JSON.parse(text) as { purchaseToken?: unknown; packageName?: unknown };
    return {
      token: typeof sent.purchaseToken === 'string' ? sent.purchaseToken : '',
      packageName: typeof sent.packageName === 'string' ? sent.packageName : packageName,
    };
  } catch {
    return { token: '' };
  }
}

const isUnknown = (status: number) => status === 400 || status === 404 || status === 410;

function failed(status: number): StoreAnswer {
  if (status === 401 || status === 403) return refused('store_credentials', 'Google refuses the service account.');
  if (isUnknown(status)) return refused('invalid_receipt', 'Google knows no such purchase of this app.');
  return { outcome: 'unavailable' };
}

async function answering(ask: () => StoreAnswer | Promise<StoreAnswer>): Promise<StoreAnswer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Unavailable) return failed(error.status);
    logger.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'Google Play gave no answer');
    return { outcome: 'unavailable' };
  }
}
