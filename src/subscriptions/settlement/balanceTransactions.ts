import { Op } from 'sequelize';
import { type z } from 'zod';
import { findPage, olderThan } from '../../adapters/postgres/totals';
import { type Caller } from '../../kit/auth';
import { byId, cursorRange, nextCursor } from '../../kit/page';
import { toMajor } from '../../billing/money';
import { BalanceTransaction } from './balanceTransactions.model';
import { presentTransaction } from './differences.presenter';
import { type BalanceTransactionsQuery } from './differences.schemas';

/** The movements of a merchant's payments in the books of the provider, with fees. Newest first. */
export async function listBalanceTransactions(
  { merchantId }: Caller,
  query: z.output<typeof BalanceTransactionsQuery>,
) {
  const { page, limit, offset, after } = cursorRange(query);
  const options = { where: { merchantId }, order: [['id', 'DESC']] as [string, string][], limit, offset };
  const key = `balance transactions ${merchantId}`;
  const { rows, total } = await findPage(BalanceTransaction, key, { ...options, after: olderThan(after) });
  const next_cursor = nextCursor(rows, { limit }, byId);
  return { total, page, offset, limit, next_cursor, collection: rows.map(present) };
}

/** The same list in parts, for an export: the rows that follow an id. */
export async function readBalanceTransactionsAfter({ merchantId }: Caller, limit: number, after?: number) {
  const where = { merchantId, ...(after !== undefined && { id: { [Op.lt]: after } }) };
  const rows = await BalanceTransaction.findAll({ where, order: [['id', 'DESC']], limit });
  return rows.map((row) => ({ ...present(row), happened_at: row.happenedAt }));
}

function present(row: BalanceTransaction) {
  const { amountMinor, currency, feeMinor, feeCurrency } = row;
  return presentTransaction(row, { amount: toMajor(amountMinor, currency), fee: toMajor(feeMinor, feeCurrency) });
}
