import { type z } from 'zod';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { pageRange, type PageQuery } from '../../kit/page';
import { toMajor } from '../billing/money';
import {
  countMovements,
  listMovements,
  sumMovements,
  type CurrencySum,
  type Movement,
  type MovementFilter,
} from './model';
import { presentPayment, presentReportRow, presentTransaction } from './presenter';
import { type TransactionsQuery } from './schemas';

type Query = z.output<typeof TransactionsQuery>;

const dayMs = 86_400_000;

/** What a consumer paid and got back; of a merchant, its own test purchases. */
export async function listPaymentHistory({ merchantId, accountId }: Caller, query: z.output<typeof PageQuery>) {
  const filter = { merchantId, accountId, type: undefined, from: undefined, to: undefined };
  const { page } = await pageOfMovements(filter, query, presentPayment);
  return page;
}

/** All that a merchant's customers paid and got back. */
export async function listTransactions({ merchantId }: Caller, query: Query) {
  const { page, payers } = await pageOfMovements(filterOf(merchantId, query), query, presentTransaction);
  return { ...page, unique_paying_customers: payers };
}

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

function filterOf(merchantId: number, { type, startDate, endDate }: Query): MovementFilter {
  if (startDate && endDate && endDate < startDate)
    throw new AppError('invalid_input', { errors: { endDate: 'The endDate must not be before the startDate.' } });
  return {
    merchantId,
    accountId: undefined,
    type: type === 'gift-payment' ? 'gift' : type,
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
  present: (movement: Movement, charged: number) => Row,
) {
  const { page, limit, offset } = pageRange(query);
  const rows = await listMovements(filter, limit, offset);
  const { total, ...counts } = await countMovements(filter);
  const collection = rows.map((row) => present(row, toMajor(row.amountMinor, row.currency)));
  return { page: { total, page, offset, limit, collection }, ...counts };
}

function byCurrency(sums: CurrencySum[], of: (sum: CurrencySum) => number): Record<string, number> {
  return Object.fromEntries(sums.map((sum) => [sum.currency, toMajor(of(sum), sum.currency)]));
}
