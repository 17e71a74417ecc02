import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { inParts, shownParts } from '../../kit/csv';
import { AppError } from '../../kit/errors';
import { byId, cursorRange, nextCursor } from '../../kit/page';
import { findCapability } from '../../billing/capabilities';
import { formatAmount, isAmount, isCurrency, toMajor, toMinor } from '../../billing/money';
import { moveBalance, readBalance } from './balances';
import {
  findCustomer,
  getMovement,
  listBalances,
  type ListedMovement,
  listMovements,
  type OpenBalance,
  readMovements,
  readOpenBalances,
} from './movements.model';
import { presentMovement } from './movements.presenter';
import { type AdjustmentBody, type BalanceMovementsQuery } from './movements.schemas';

/** Lists balances and their movements for customers and merchants, and writes the merchant's adjustments. */

type Adjustment = z.output<typeof AdjustmentBody>;

export const listOwnBalances = ({ accountId }: Caller) => describeBalances(accountId);

export async function listCustomerBalances({ merchantId }: Caller, accountId: number) {
  if (!(await findCustomer(merchantId, accountId))) throw new AppError('account_not_found');
  return describeBalances(accountId);
}

async function describeBalances(accountId: number) {
  const rows = await listBalances(accountId);
  const collection = rows.map(({ currency, balanceMinor }) => ({ currency, balance: toMajor(balanceMinor, currency) }));
  return { collection };
}

/** Newest first. */
export async function listBalanceMovements(
  { merchantId }: Caller,
  accountId: number,
  query: z.output<typeof BalanceMovementsQuery>,
) {
  if (!(await findCustomer(merchantId, accountId))) throw new AppError('account_not_found');
  const { page, limit, offset, after } = cursorRange(query);
  const { rows, total } = await listMovements(
    { merchantId, accountId, currency: query.currency },
    { limit, offset, after },
  );
  const collection = rows.map(present);
  return { total, page, offset, limit, next_cursor: nextCursor(rows, { limit }, byId), collection };
}

interface MovementQuery {
  account_id?: number | undefined;
  currency?: string | undefined;
}

/** All movements of one customer or of all customers, in parts, for an export. */
export function readBalanceMovements({ merchantId }: Caller, { account_id: accountId, currency }: MovementQuery) {
  const filter = { merchantId, accountId, currency };
  const parts = inParts(
    (limit, after: number | undefined) => readMovements(filter, limit, after),
    ({ id }) => id,
  );
  return shownParts(parts, (row) => ({ ...present(row), account_id: row.accountId }));
}

/** All balances other than 0, in parts, for an export. */
export function readBalances({ merchantId }: Caller, { currency }: MovementQuery) {
  const parts = inParts(
    (limit, after: OpenBalance | undefined) => readOpenBalances({ merchantId, currency }, limit, after),
    (row) => row,
  );
  return shownParts(parts, ({ id, email, balanceMinor, updatedAt, currency: code }) => {
    return { account_id: id, email, currency: code, balance: toMajor(balanceMinor, code), updated_at: updatedAt };
  });
}

/** The next charge uses the credit or collects the debt. */
export async function adjustBalance(caller: Caller, accountId: number, input: Adjustment, requestId: string) {
  const { merchantId } = caller;
  const customer = await findCustomer(merchantId, accountId);
  // An account that is being erased is not charged again, so a credit or a debt would stay open.
  if (!customer || customer.isErasing) throw new AppError('account_not_found');
  const { note, currency } = input;
  const amountMinor = readAmount(input);
  return transaction(async (inTransaction) => {
    const about = { reason: 'adjustment', actorAccountId: caller.accountId, note } as const;
    const cause = `adjustment:${randomUUID()}`;
    const isMoved = await moveBalance(inTransaction, { accountId, currency }, { ...about, amountMinor, cause });
    if (!isMoved) throw new AppError('account_not_found');
    // The movement has locked the balance.
    refuseTooFar(await readBalance({ accountId, currency }, inTransaction), amountMinor, currency);
    await audit(inTransaction, caller, { action: 'balance.adjust', object: ['account', accountId], requestId });
    return present(await getMovement(inTransaction, { accountId, cause }));
  });
}

function readAmount({ amount, currency }: Adjustment): number {
  const capability = isCurrency(currency) ? findCapability(currency) : undefined;
  if (!capability) throw invalid('currency', 'must be an ISO 4217 code that cards can be charged in');
  const { most, step } = capability;
  if (amount === 0) throw invalid('amount', 'must not be 0');
  if (Math.abs(amount) > toMajor(most, currency)) throw beyond(most, currency);
  if (!isAmount(Math.abs(amount), currency)) throw invalid('amount', `has more decimals than ${currency}`);
  const amountMinor = Math.sign(amount) * toMinor(Math.abs(amount), currency);
  if (amountMinor % step !== 0) throw invalid('amount', `must be a multiple of ${formatAmount(step, currency)}`);
  return amountMinor;
}

/** A debt above the largest possible charge could not be collected. A movement towards 0 is always allowed. */
function refuseTooFar(balanceMinor: number, amountMinor: number, currency: string): void {
  const most = findCapability(currency)?.most ?? 0;
  const isFurther = Math.sign(balanceMinor) === Math.sign(amountMinor);
  if (Math.abs(balanceMinor) <= most || !isFurther) return;
  throw invalid('amount', `must not take the balance beyond ${formatAmount(most, currency)}`);
}

function beyond(most: number, currency: string): AppError {
  const bounds = `${formatAmount(-most, currency)} and ${formatAmount(most, currency)}`;
  return invalid('amount', `must be between ${bounds}`);
}

function invalid(field: string, rule: string): AppError {
  return new AppError('invalid_input', { errors: { [field]: `The ${field} ${rule}.` } });
}

const present = (row: ListedMovement) => presentMovement(row, toMajor(row.amountMinor, row.currency));
