import { type z } from 'zod';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { cursorRange, exactPlace, nextCursor } from '../kit/page';
import { formatAmount, toMajor } from '../billing/money';
import { cancelTokenOf, unsubscribeUrlOf } from './cancelTokens';
import { findShownStoreSubscription, listBoth, showStoreSubscriptions, type Listed } from './inStores';
import { isBilledNext } from './lifecycle/steps';
import { findShownSubscription, type ShownSubscription } from './subscriptions.model';
import { presentSubscription } from './subscriptions.presenter';
import { type SubscriptionQuery } from './subscriptions.schemas';
import { discountedPrice, firstAmount, nextCharge } from './lifecycle/prices';

export async function getSubscription(caller: Caller, token: string) {
  const accountId = caller.role === 'merchant' ? undefined : caller.accountId;
  const row = await findShownSubscription(token, { merchantId: caller.merchantId, accountId });
  const shown = row ? present(row) : await findShownStoreSubscription(caller, token);
  if (!shown) throw new AppError('subscription_not_found');
  return shown;
}

/** Newest first: clients take the first row of an item. */
export async function listSubscriptions(caller: Caller, query: z.output<typeof SubscriptionQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const isMerchant = caller.role === 'merchant';
  const filter = {
    merchantId: caller.merchantId,
    accountId: isMerchant ? query.account_id : caller.accountId,
    itemId: query.item_id,
    status: query.status,
  };
  const { rows, total } = await listBoth(filter, { limit, offset, after: exactPlace(after) });
  const next_cursor = nextCursor(rows, { limit }, ({ exactAt: at, place: id }) => ({ at, id }));
  return { total, page, offset, limit, next_cursor, collection: await showListed(rows) };
}

async function showListed(listed: Listed[]) {
  const inStores = await showStoreSubscriptions(listed.flatMap((row) => (row.isOfStore ? row.token : [])));
  return listed.flatMap((row) => (row.isOfStore ? (inStores.get(row.token) ?? []) : present(row)));
}

function present(row: ShownSubscription) {
  const { priceMinor, currency, token } = row;
  const cancelToken = cancelTokenOf(token);
  return presentSubscription(row, {
    major: toMajor(priceMinor, currency),
    formatted: formatAmount(priceMinor, currency),
    charged: toMajor(chargeOfRow(row), currency),
    next: row.endedAt === null && row.pendingAccessFeeId === null ? toMajor(nextCharge(row), currency) : 0,
    balance: toMajor(row.balanceMinor, currency),
    isBilledNext: isBilledNext(row),
    cancelToken,
    unsubscribeUrl: unsubscribeUrlOf(token, cancelToken),
  });
}

/** The amount of the latest charge, or of the first charge if there is none yet. */
function chargeOfRow(row: ShownSubscription): number {
  const charge = Math.max(1, row.discountCycle);
  return charge === 1 ? firstAmount(row) : discountedPrice(row, charge);
}
