import { logger } from '../logger';
import { type GooglePlayCredentials } from './credentials';
import { askGoogle, testCredentials, Unavailable, type GooglePlaySettings } from './googlePlayApi';
import { readNotification } from './googlePlayNotification';
import {
  describeProduct,
  describeSubscription,
  listVoided,
  type Call,
  type Product,
  type Subscription,
} from './googlePlayPurchase';
import { refused, type AppStore, type ReceiptClaim, type StoreAnswer } from './store';
import { tryToRead } from './unverified';

/**
 * Google Play by five calls of its Developer API. Google's own client would add generated code for all other calls, and
 * it cannot use another address.
 */
export function createGooglePlay(credentials: GooglePlayCredentials, settings: GooglePlaySettings): AppStore {
  const { packageName } = credentials;
  const purchases = `${settings.apiBase}/androidpublisher/v3/applications/${encodeURIComponent(packageName)}/purchases`;
  const call = (path: string, method: 'GET' | 'POST' = 'GET') =>
    askGoogle(credentials, settings, purchases + path, method);

  return {
    name: 'google-play',

    validate: (claim) =>
      answering(() => {
        const claimed = readClaim(claim);
        if (claimed.token === '') return refused('invalid_receipt', 'The receipt holds no purchase token.');
        if ((claimed.packageName ?? packageName) !== packageName)
          return refused('wrong_app', 'The purchase is of another app.');
        return readPurchase(claimed.token, call);
      }),

    lookUp: (reference) => answering(() => readPurchase(reference.id, call)),

    async acknowledge({ kind, reference }) {
      const of = kind === 'subscription' ? 'subscriptions' : 'products';
      const path = `/${of}/${encodeURIComponent(reference.productId)}/tokens/${encodeURIComponent(reference.id)}:acknowledge`;
      const { status } = await call(path, 'POST').catch(() => ({ status: 0 }));
      return status >= 200 && status < 300 ? 'done' : 'unavailable';
    },

    readNotification: (body, headers) => readNotification(body, headers, credentials, settings),

    readHistory: async (since) => ({ notifications: [], refunds: await listVoided(since, call) }),

    testCredentials: () => testCredentials(credentials, settings, () => call('/voidedpurchases?maxResults=1')),
  };
}

/** A token does not tell whether it is of a subscription or of a one-time product. */
async function readPurchase(token: string, call: Call): Promise<StoreAnswer> {
  const name = encodeURIComponent(token);
  const subscription = await call(`/subscriptionsv2/tokens/${name}`);
  if (subscription.status === 200)
    return { outcome: 'found', purchase: describeSubscription(subscription.body as Subscription, token) };
  if (!isUnknown(subscription.status)) return failed(subscription.status);
  const product = await call(`/productsv2/tokens/${name}`);
  if (product.status !== 200) return failed(product.status);
  return { outcome: 'found', purchase: describeProduct(product.body as Product, token) };
}

/** Reads the purchase object of the app, or the purchase token alone. */
function readClaim({ receipt, packageName }: ReceiptClaim): { token: string; packageName?: string | undefined } {
  const text = receipt.trim();
  if (!text.startsWith('{')) return { token: /^[\w.~-]{1,1500}$/.test(text) ? text : '', packageName };
  const sent = tryToRead(() => JSON.parse(text) as { purchaseToken?: unknown; packageName?: unknown }) ?? {};
  return {
    token: typeof sent.purchaseToken === 'string' ? sent.purchaseToken : '',
    packageName: typeof sent.packageName === 'string' ? sent.packageName : packageName,
  };
}

const isUnknown = (status: number) => status === 400 || status === 404 || status === 410;

function failed(status: number): StoreAnswer {
  if (status === 401 || status === 403) return refused('store_credentials', 'Google refuses the service account.');
  if (isUnknown(status)) return refused('invalid_receipt', 'Google does not know this purchase of this app.');
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
