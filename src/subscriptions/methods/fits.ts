import { type Transaction } from '../../adapters/postgres/connection';
import { type MethodName } from '../../kit/paymentMethods';
import { getPlan } from '../plans';
import { type Subscription } from '../subscriptions.model';
import { findMismatch } from './methods';

/** Why a method cannot pay for a running subscription, or for the plan that it changes to; undefined if it can. */
export async function findUnfit(
  row: Subscription,
  method: MethodName,
  inTransaction?: Transaction,
): Promise<string | undefined> {
  const { currency, periodQuantity: quantity, period, pendingAccessFeeId } = row;
  const accessType = 'subscription';
  const now = findMismatch(method, { currency, accessType, quantity, period });
  if (now !== undefined || pendingAccessFeeId === null) return now;
  const plan = await getPlan(row.merchantId, pendingAccessFeeId, inTransaction);
  return findMismatch(method, { ...plan, accessType });
}
