import { type z } from 'zod';
import { merchantNow } from '../adapters/clock';
import { type Caller } from '../kit/auth';
import { inParts, shownParts } from '../kit/csv';
import { AppError } from '../kit/errors';
import { type Cursor, cursorRange, exactPlace, nextCursor } from '../kit/page';
import { placeIn, type Sort } from '../kit/sorting';
import { formatAmount, toMajor } from '../billing/money';
import { type AddedTax, dueOf } from '../billing/tax/addedTax';
import { isShownWithTax } from '../billing/tax/shownPrices';
import { renewAddedTax } from '../tax/addedTaxes';
import { cancelTokenOf, unsubscribeUrlOf } from './cancelTokens';
import {
  findShownStoreSubscription,
  listBoth,
  type Listed,
  type ListOrder,
  listPositions,
  type PositionFilter,
  showStoreSubscriptions,
} from './inStores';
import { isBilledNext } from './lifecycle/steps';
import { findShownSubscription, type ShownSubscription } from './subscriptions.model';
import { presentSubscription } from './subscriptions.presenter';
import { type SubscriptionQuery, type subscriptionSorts } from './subscriptions.schemas';
import { dueFor, firstAmount, nextCharge } from './lifecycle/prices';

export async function getSubscription(caller: Caller, token: string) {
  const accountId = caller.role === 'merchant' ? undefined : caller.accountId;
  const row = await findShownSubscription(token, { merchantId: caller.merchantId, accountId });
  const shown = row ? present(row, await nextOf(row)) : await findShownStoreSubscription(caller, token);
  if (!shown) throw new AppError('subscription_not_found');
  return shown;
}

type SubscriptionSort = Sort<(typeof subscriptionSorts)[number]>;

const orderOf = ({ sort, order }: SubscriptionSort): ListOrder => ({
  by: sort ?? 'created',
  isDescending: order !== 'asc',
});

function placeAfter({ by }: ListOrder, after: Cursor | undefined): { at: string; id: number } | undefined {
  if (after === undefined || by === 'created') return exactPlace(after);
  const { id, value: at = '' } = placeIn({ by, type: 'time' }, after);
  return { at, id };
}

const cursorIn = ({ by }: ListOrder, { exactAt, place: id }: Listed): Cursor =>
  by === 'created' ? { at: exactAt, id } : { id, sorted: { by, value: exactAt } };

/** The tokens of a merchant's subscriptions in parts, in the order that an export requests. With `tokens` only those among them. */
export function readSortedTokens(filter: PositionFilter, sort: SubscriptionSort): AsyncGenerator<string[]> {
  const read = (limit: number, after: { at: string; id: number } | undefined) =>
    listPositions(filter, { limit, offset: 0, after }, orderOf(sort));
  const parts = inParts(read, ({ exactAt: at, place: id }) => ({ at, id }));
  return shownParts(parts, ({ token }) => token);
}

/** Newest first, unless another order is requested: clients take the first row of an item. */
export async function listSubscriptions(caller: Caller, query: z.output<typeof SubscriptionQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const isMerchant = caller.role === 'merchant';
  const filter = {
    merchantId: caller.merchantId,
    accountId: isMerchant ? query.account_id : caller.accountId,
    itemId: query.item_id,
    status: query.status,
    isWithoutUnpaid: query.never_paid === false,
  };
  const order = orderOf(query);
  const { rows, total } = await listBoth(filter, { limit, offset, after: placeAfter(order, after) }, order);
  const next_cursor = nextCursor(rows, { limit }, (row) => cursorIn(order, row));
  return {
    total,
    page,
    offset,
    limit,
    next_cursor,
    collection: await showListed(rows, isMerchant ? storedNext : nextOf),
  };
}

/** The next charge of the subscriptions in a merchant's long lists has the tax of their latest one. */
async function showListed(listed: Listed[], next: (row: ShownSubscription) => Next | Promise<Next>) {
  const inStores = await showStoreSubscriptions(listed.flatMap((row) => (row.isOfStore ? row.token : [])));
  const shown = [];
  for (const row of listed) shown.push(row.isOfStore ? inStores.get(row.token) : present(row, await next(row)));
  return shown.filter((one) => one !== undefined);
}

/** The next charge, and the tax that is added to its price. */
interface Next {
  chargeMinor: number;
  addedTax: AddedTax | null;
}

const nextWith = (row: ShownSubscription, addedTax: AddedTax | null): Next => ({
  chargeMinor: nextCharge({ ...row, addedTax }),
  addedTax,
});

const storedNext = (row: ShownSubscription) => nextWith(row, row.addedTax);

/** A paused subscription is charged when it is resumed, which may be now. A subscription that has ended keeps its latest tax. */
async function nextOf(row: ShownSubscription): Promise<Next> {
  if (row.addedTax === null || row.endedAt !== null) return storedNext(row);
  const isPaused = row.state === 'paused';
  const at = isPaused ? await merchantNow(row.merchantId) : (row.currentPeriodEnd ?? row.createdAt);
  return nextWith(row, await renewAddedTax(row, at));
}

function present(row: ShownSubscription, { chargeMinor, addedTax }: Next) {
  const { priceMinor, currency, token } = row;
  const cancelToken = cancelTokenOf(token);
  return presentSubscription(row, {
    major: toMajor(priceMinor, currency),
    formatted: formatAmount(priceMinor, currency),
    charged: toMajor(chargeOfRow(row), currency),
    next: row.endedAt === null && row.pendingAccessFeeId === null ? toMajor(chargeMinor, currency) : 0,
    balance: toMajor(row.balanceMinor, currency),
    isBilledNext: isBilledNext(row),
    shown: priceFor(row, addedTax),
    cancelToken,
    unsubscribeUrl: unsubscribeUrlOf(token, cancelToken),
  });
}

/** The price to which the tax is added, in the form of the customer's country. */
function priceFor({ priceMinor, currency, shownPrices }: ShownSubscription, addedTax: AddedTax | null) {
  if (addedTax === null) return undefined;
  const isWithTax = isShownWithTax(shownPrices ?? 'by_country', { ...addedTax, sellerCountry: addedTax.country });
  return {
    amount: toMajor(isWithTax ? dueOf(priceMinor, addedTax, currency) : priceMinor, currency),
    with_tax: isWithTax,
  };
}

/** The amount of the latest charge, or of the first charge if there is none yet. */
function chargeOfRow(row: ShownSubscription): number {
  const charge = Math.max(1, row.discountCycle);
  return charge === 1 ? firstAmount(row) : dueFor(row, charge);
}
