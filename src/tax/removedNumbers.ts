import { now } from '../adapters/clock';
import { type Caller } from '../kit/auth';
import { findDetails, listRemoved, type RemovedNumber } from './billingDetails.model';

/** What the merchant sees of the tax numbers of its customers. */

/** After this time, the customer page alone shows a removed number. */
const shownForMs = 30 * 86_400_000;

/** The numbers that VIES has not known any more for 30 days at most, newest first. */
export const listRemovedNumbers = ({ merchantId }: Caller, limit: number): Promise<RemovedNumber[]> =>
  listRemoved(merchantId, new Date(now().getTime() - shownForMs), limit);

export interface CustomerNumber {
  /** Empty without one. */
  number: string;
  confirmedAt: Date | null;
  /** The consultation number of VIES; empty without one. */
  consultation: string;
  /** The number that VIES no longer knew; empty without one. */
  removed: string;
  removedAt: Date | null;
}

/** Undefined if the customer has entered no billing details. */
export async function findCustomerNumber(
  { merchantId }: Caller,
  accountId: number,
): Promise<CustomerNumber | undefined> {
  const details = await findDetails(merchantId, accountId);
  if (!details) return undefined;
  const { taxNumber: number, confirmedAt, confirmation: consultation, removedNumber: removed, removedAt } = details;
  return { number, confirmedAt, consultation, removed, removedAt };
}
