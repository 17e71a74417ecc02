import { type z } from 'zod';
import { toMajor } from '../billing/money';
import { type Caller } from '../kit/auth';
import { inParts, shownParts } from '../kit/csv';
import { AppError } from '../kit/errors';
import { cursorRange, exactPlace, nextCursor } from '../kit/page';
import { type Language } from '../kit/languages';
import { type InvoiceFile, renderInvoice } from './document';
import {
  findIssued,
  findIssuedFor,
  findIssuedPage,
  type InvoiceFilter,
  type InvoicePlace,
  type IssuedInvoice,
  type ListedInvoice,
  listIssued,
} from './lists.model';
import { presentEntry, presentInvoice } from './invoices.presenter';
import { type InvoicesQuery } from './invoices.schemas';

type Query = z.output<typeof InvoicesQuery>;

const dayMs = 86_400_000;

/** The invoices and credit notes of the caller. */
export const listOwnInvoices = ({ merchantId, accountId }: Caller, query: Omit<Query, 'search' | 'sort' | 'order'>) =>
  pageOfInvoices(filterOf(merchantId, accountId, query), query);

/** The invoices and credit notes of all customers of a merchant. */
export const listInvoices = ({ merchantId }: Caller, query: Query) =>
  pageOfInvoices(filterOf(merchantId, undefined, query), query);

/** All documents of such a list in parts, for a file. */
export function readInvoices(
  { merchantId }: Caller,
  { order, ...query }: Pick<Query, 'search' | 'startDate' | 'endDate' | 'order'>,
) {
  const filter = filterOf(merchantId, undefined, query);
  const read = (limit: number, after: InvoicePlace | undefined) =>
    listIssued(filter, { limit, after, isAscending: order === 'asc' });
  return shownParts(inParts(read, placeOf), (row) => presentEntry(row, majorOf(row)));
}

const placeOf = ({ id, exactAt: at }: ListedInvoice): InvoicePlace => ({ at, id });

function filterOf(merchantId: number, accountId: number | undefined, query: Query): InvoiceFilter {
  const { kind, search, startDate, endDate } = query;
  if (startDate && endDate && endDate < startDate)
    throw new AppError('invalid_input', { errors: { endDate: 'The endDate must not be before the startDate.' } });
  const to = endDate && new Date(startOfDay(endDate).getTime() + dayMs);
  return { merchantId, accountId, kind, search, from: startDate && startOfDay(startDate), to };
}

const startOfDay = (date: Date) => new Date(Math.floor(date.getTime() / dayMs) * dayMs);

async function pageOfInvoices(filter: InvoiceFilter, query: Query) {
  const { page, limit, offset, after } = cursorRange(query);
  const isAscending = query.order === 'asc';
  const { rows, total } = await findIssuedPage(filter, { limit, offset, after: exactPlace(after), isAscending });
  const next_cursor = nextCursor(rows, { limit }, placeOf);
  return { total, page, offset, limit, next_cursor, collection: rows.map((row) => presentEntry(row, majorOf(row))) };
}

/** An invoice by its number. A consumer finds its own, a merchant those of all its customers. */
export async function getInvoice(caller: Caller, number: string) {
  const row = await getIssued(caller, number);
  return presentInvoice(row, majorOf(row));
}

/** The invoice as PDF. `language`: that of the reader, for a buyer without a language. */
export const getInvoiceDocument = async (caller: Caller, number: string, language: Language | undefined) =>
  renderInvoice(await getIssued(caller, number), language);

async function getIssued({ merchantId, accountId, role }: Caller, number: string): Promise<IssuedInvoice> {
  const row = await findIssued(merchantId, role === 'merchant' ? undefined : accountId, number);
  if (!row) throw new AppError('invoice_not_found');
  return row;
}

/** The document of a charge or of a refund, by its token. Undefined if there is none. */
export async function findDocument(
  { merchantId, accountId, role }: Pick<Caller, 'merchantId' | 'accountId' | 'role'>,
  trxToken: string,
  language: Language | undefined,
): Promise<InvoiceFile | undefined> {
  const row = await findIssuedFor(merchantId, role === 'merchant' ? undefined : accountId, trxToken);
  return row && renderInvoice(row, language);
}

const majorOf =
  ({ currency }: IssuedInvoice) =>
  (minor: number) =>
    toMajor(minor, currency);
