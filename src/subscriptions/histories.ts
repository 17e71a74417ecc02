import { type z } from 'zod';
import { titleOfStore } from '../stores/stores';
import { type Caller } from '../kit/auth';
import { inParts, shownParts } from '../kit/csv';
import { AppError } from '../kit/errors';
import { type CursorQuery, cursorRange, exactPlace, nextCursor, type PageQuery } from '../kit/page';
import { readGiftCode } from '../vouchers/gifts';
import { maskGiftCode } from '../vouchers/uses';
import { ceilMinor, currenciesByExponent, floorMinor, maxAmountMinor, toMajor } from '../billing/money';
import { paymentMethods } from '../kit/paymentMethods';
import {
  countMovements,
  listMovements,
  sumMovements,
  type CurrencySum,
  type Movement,
  type HistoryCursor,
} from './histories.model';
import { presentPayment, presentReportRow, presentTransaction, type MovementTexts } from './histories.presenter';
import { type TransactionsQuery } from './histories.schemas';
import { type MovementFilter } from './movementRows.model';

type Query = z.output<typeof TransactionsQuery>;

const dayMs = 86_400_000;

/** The payments and refunds of the caller: a consumer's own, or a merchant's test purchases. */
export async function listPaymentHistory({ merchantId, accountId }: Caller, query: z.output<typeof PageQuery>) {
  const filter = { ...filterOf(merchantId, {}), accountId };
  const { page } = await pageOfMovements(filter, query, presentPayment);
  return page;
}

/**
 * The payments and refunds of all customers of a merchant. A gift's code is worth its price, so only callers with the
 * scope for gifts see it in full.
 */
export async function listTransactions({ merchantId, scopes }: Caller, query: Query) {
  const present = scopes.includes('vouchers:read') ? presentTransaction : presentMasked;
  const { page, payers } = await pageOfMovements(filterOf(merchantId, query), query, present);
  return { ...page, unique_paying_customers: payers };
}

type HistoryQuery = Omit<Query, 'page' | 'size' | 'limit'>;

/** The same rows in parts, for an export. Gift codes are masked. */
export function readTransactions({ merchantId }: Caller, query: HistoryQuery) {
  const filter = filterOf(merchantId, query);
  const first = firstOf(query);
  const read = (limit: number, after: HistoryCursor | undefined) => listMovements(filter, { limit, after, first });
  const parts = inParts(read, ({ exactAt: at, id }) => ({ at, id }));
  return shownParts(parts, (row) => presentMasked(row, shownOf(row)));
}

const firstOf = ({ order }: Pick<Query, 'order'>) => (order === 'asc' ? 'oldest' : 'newest');

const presentMasked = (row: Movement, shown: MovementTexts) =>
  presentTransaction(row, { ...shown, giftCode: shown.giftCode && maskGiftCode(shown.giftCode) });

/** The same rows for the oldest clients, with totals. */
export async function reportTransactions({ merchantId }: Caller, query: Query) {
  const filter = filterOf(merchantId, query);
  const { page, purchases } = await pageOfMovements(filter, query, presentReportRow);
  const sums = await sumMovements(filter);
  return {
    ...page,
    pages: Math.ceil(page.total / page.limit),
    total_purchases: purchases,
    total_gross_amounts: byCurrency(sums, ({ grossMinor }) => grossMinor),
    current_balance: byCurrency(sums, ({ grossMinor, refundedMinor }) => grossMinor - refundedMinor),
  };
}

function filterOf(merchantId: number, query: HistoryQuery): MovementFilter {
  const { type, exclude, startDate, endDate, account_id, item_id, amount_from, amount_to } = query;
  if (startDate && endDate && endDate < startDate)
    throw new AppError('invalid_input', { errors: { endDate: 'The endDate must not be before the startDate.' } });
  if (amount_from !== undefined && amount_to !== undefined && amount_to < amount_from)
    throw new AppError('invalid_input', { errors: { amount_to: `The amount_to must be at least ${amount_from}.` } });
  return {
    merchantId,
    accountId: account_id,
    itemId: item_id,
    type: type === 'gift-payment' ? 'gift' : type,
    isWithoutStores: exclude?.split(',').includes('store-payment') ?? false,
    from: startDate && startOfDay(startDate),
    to: endDate && new Date(startOfDay(endDate).getTime() + dayMs),
    currencies: currenciesByExponent.map(({ codes }) => codes),
    minimumMinor: amount_from === undefined ? undefined : byDecimals(amount_from, ceilMinor),
    maximumMinor: amount_to === undefined ? undefined : byDecimals(amount_to, floorMinor),
  };
}

/** In minor units, for the currencies with each number of decimals. */
const byDecimals = (major: number, inMinor: (major: number, currency: string) => number) =>
  currenciesByExponent.map(({ codes: [first = ''] }) => Math.min(inMinor(major, first), maxAmountMinor + 1));

function startOfDay(date: Date): Date {
  return new Date(Math.floor(date.getTime() / dayMs) * dayMs);
}

async function pageOfMovements<Row>(
  filter: MovementFilter,
  query: z.output<typeof CursorQuery> & Pick<Query, 'order'>,
  present: (movement: Movement, shown: MovementTexts) => Row,
) {
  const { page, limit, offset, after } = cursorRange(query);
  const rows = await listMovements(filter, { limit, offset, after: exactPlace(after), first: firstOf(query) });
  const { total, ...counts } = await countMovements(filter);
  const collection = rows.map((row) => present(row, shownOf(row)));
  const next_cursor = nextCursor(rows, { limit }, ({ exactAt: at, id }) => ({ at, id }));
  return { page: { total, page, offset, limit, next_cursor, collection }, ...counts };
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });

function shownOf(row: Movement): MovementTexts {
  const { amountMinor, taxMinor, balanceMinor, pendingRefundMinor, currency, countryIso, sealedGiftCode } = row;
  return {
    charged: toMajor(amountMinor, currency),
    net: toMajor(amountMinor - taxMinor, currency),
    tax: toMajor(taxMinor, currency),
    balance: toMajor(balanceMinor, currency),
    pendingRefund: toMajor(pendingRefundMinor, currency),
    discountAmount: toMajor(row.discountMinor ?? 0, currency),
    method: methodOf(row),
    country: countryIso === '' ? '' : (countryNames.of(countryIso) ?? ''),
    giftCode: sealedGiftCode === null ? '' : readGiftCode(sealedGiftCode),
  };
}

const methodOf = ({ isOfStore, provider, method }: Movement) =>
  isOfStore ? titleOfStore(provider) : paymentMethods[method].title;

function byCurrency(sums: CurrencySum[], of: (sum: CurrencySum) => number): Record<string, number> {
  return Object.fromEntries(sums.map((sum) => [sum.currency, toMajor(of(sum), sum.currency)]));
}
