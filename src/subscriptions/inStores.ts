import { storeTitles } from '../stores/stores';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { formatAmount, toMajor } from '../billing/money';
import { cancelTokenOf, unsubscribeUrlOf } from './cancelTokens';
import { findStoreSubscription, findStoreSubscriptions, type StoreSubscription } from './inStores.model';
import { presentStoreSubscription } from './subscriptions.presenter';

export {
  hasOpenInStore,
  listBoth,
  type ListOrder,
  listPositions,
  type Listed,
  type PositionFilter,
  type SubscriptionFilter,
} from './inStores.model';

/**
 * Subscriptions that were bought in app stores. They are listed together with those paid by card. The stores manage
 * them, so they are only read here.
 */

export async function showStoreSubscriptions(tokens: readonly string[]) {
  if (tokens.length === 0) return new Map<string, ReturnType<typeof present>>();
  const rows = await findStoreSubscriptions(tokens);
  return new Map(rows.map((row) => [row.token, present(row)]));
}

export async function findShownStoreSubscription(caller: Caller, token: string) {
  const row = await findOwned(caller, token);
  return row && present(row);
}

/** A store's subscription can be changed only in the store. Throws the error that explains this. */
export async function refuseStoreSubscription(caller: Caller, token: string): Promise<void> {
  const row = await findOwned(caller, token);
  if (row)
    throw new AppError('subscription_state', {
      explain: `It was bought in the ${storeTitles[row.store]}, and is managed there.`,
    });
}

function findOwned(caller: Caller, token: string): Promise<StoreSubscription | undefined> {
  return findStoreSubscription(caller.merchantId, caller.role === 'merchant' ? undefined : caller.accountId, token);
}

function present(row: StoreSubscription) {
  const { priceMinor, chargedMinor, balanceMinor, currency, token } = row;
  const cancelToken = cancelTokenOf(token);
  return presentStoreSubscription(row, {
    major: toMajor(priceMinor, currency),
    formatted: formatAmount(priceMinor, currency),
    charged: toMajor(chargedMinor, currency),
    next: toMajor(priceMinor, currency),
    balance: toMajor(balanceMinor, currency),
    cancelToken,
    unsubscribeUrl: unsubscribeUrlOf(token, cancelToken),
    methodName: storeTitles[row.store],
  });
}
