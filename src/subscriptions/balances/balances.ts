import { type Transaction } from '../../adapters/postgres/connection';
import { settleDue } from '../../billing/dues';
import { toMajor, toMinor } from '../../billing/money';
import { readBalance, type Customer } from './balances.model';

/**
 * A customer has one balance with a merchant for each currency. It is never paid out. The next charge in that currency
 * uses the credit or collects the debt, for any purchase.
 */

export {
  countMovements,
  lockBalance,
  moveBalance,
  readBalance,
  sumMovements,
  type Customer,
  type NewMovement,
} from './balances.model';

/** Divides a due amount between the card and the balance, as a charge would now. */
export async function quoteDue(
  of: Pick<Customer, 'accountId' | 'currency'>,
  dueMinor: number,
  inTransaction?: Transaction,
): Promise<{ chargeMinor: number; takenMinor: number }> {
  return settleDue(dueMinor, await readBalance(of, inTransaction), of.currency);
}

/** The amount that a first charge takes now. Without a balance it is the due amount, even if that is very small. */
export async function quoteFirst(
  of: Pick<Customer, 'accountId' | 'currency'>,
  dueMinor: number,
  inTransaction?: Transaction,
): Promise<number> {
  const balanceMinor = await readBalance(of, inTransaction);
  return balanceMinor === 0 ? dueMinor : settleDue(dueMinor, balanceMinor, of.currency).chargeMinor;
}

/** Like `quoteFirst`, in the major unit. */
export async function quotePrice(of: Pick<Customer, 'accountId' | 'currency'>, price: number): Promise<number> {
  return toMajor(await quoteFirst(of, toMinor(price, of.currency)), of.currency);
}
