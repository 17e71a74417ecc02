import { type z } from 'zod';
import { titleOfStore } from '../../externalPayments/stores/service';
import { type Caller } from '../../kit/auth';
import { inParts, shownParts } from '../../kit/csv';
import { AppError } from '../../kit/errors';
import { pageRange, type PageQuery } from '../../kit/page';
import { readGiftCode } from '../../vouchers/gifts/service';
import { maskGiftCode } from '../../vouchers/uses/service';
import { toMajor } from '../billing/money';
import {
  countMovements,
  listMovements,
  sumMovements,
  type CurrencySum,
  type Movement,
  type MovementFilter,
  type Place,
} from './model';
import { presentPayment, presentReportRow, presentTransaction, type Shown } from './presenter';
import { type TransactionsQuery } from './schemas';

type Query = z.output<typeof TransactionsQuery>;

const dayMs = 86_400_000;

/** What a consumer paid and got back; of a merchant, its own test purchases. */
export async function listPaymentHistory({ merchantId, accountId }: Caller, query: z.output<typeof PageQuery>) {
  const filter = { merchantId, accountId, type: undefined, isWithoutStores: false, from: undefined, to: undefined };
  const { page } = await pageOfMovements(filter, query, presentPayment);
  return page;
}

/**
 * All that a merchant's customers paid and got back. A gift's code is as good as its price: in the clear it is for those
 * who may read gifts.
 */
export async function listTransactions({ merchantId, scopes }: Caller, query: Query) {
  const present = scopes.includes('vouchers:read') ? presentTransaction : presentMasked;
  const { page, payers } = await pageOfMovements(filterOf(merchantId, query), query, present);
  return { ...page, unique_paying_customers: payers };
}

type HistoryAsked = Omit<Query, 'page' | 'size' | 'limit'>;

/** The same in parts, for a file: without gifts' codes. */
export function readTransactions({ merchantId }: Caller, asked: HistoryAsked) {
  const filter = filterOf(merchantId, asked);
  const read = (limit: number, after: Place | undefined) => listMovements(filter, { limit, after });
  const parts = inParts(read, ({ exactAt: at, id }) => ({ at, id }));
  return shownParts(parts, (row) => presentMasked(row, shownOf(row)));
}

const presentMasked = (row: Movement, shown: Shown) =>
  presentTransaction(row, { ...shown, giftCode: shown.giftCode && maskGiftCode(shown.giftCode) });

/** The same for the oldest clients, with its sums. */
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

function filterOf(merchantId: number, { type, exclude, startDate, endDate }: HistoryAsked): MovementFilter {
  if (startDate && endDate && endDate < startDate)
    throw new AppError('invalid_input', { errors: { endDate: 'The endDate must not be before the startDate.' } });
  return {
    merchantId,
    accountId: undefined,
    type: type === 'gift-payment' ? 'gift' : type,
    isWithoutStores: exclude?.split(',').includes('store-payment') ?? false,
    from: startDate && startOfDay(startDate),
    to: endDate && new Date(startOfDay(endDate).getTime() + dayMs),
  };
}

function startOfDay(date: Date): Date {
  return new Date(Math.floor(date.getTime() / dayMs) * dayMs);
}

async function pageOfMovements<Row>(
  filter: MovementFilter,
  query: z.output<typeof PageQuery>,
  present: (movement: Movement, shown: Shown) => Row,
) {
  const { page, limit, offset } = pageRange(query);
  const rows = await listMovements(filter, { limit, offset });
  const { total, ...counts } = await countMovements(filter);
  const collection = rows.map((row) => present(row, shownOf(row)));
  return { page: { total, page, offset, limit, collection }, ...counts };
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' });

function shownOf(row: Movement): Shown {
  const { amountMinor, currency, countryIso, sealedGiftCode } = row;
  return {
    charged: toMajor(amountMinor, currency),
    method: methodOf(row),
    country: countryIso === '' ? '' : (countryNames.of(countryIso) ?? ''),
    giftCode: sealedGiftCode === null ? '' : readGiftCode(sealedGiftCode),
  };
}

const methodOf = ({ isOfStore, provider }: Movement) => (isOfStore ? titleOfStore(provider) : 'Card');

function byCurrency(sums: CurrencySum[], of: (sum: CurrencySum) => number): Record<string, number> {
  return Object.fromEntries(sums.map((sum) => [sum.currency, toMajor(of(sum), sum.currency)]));
}
