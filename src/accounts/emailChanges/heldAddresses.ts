import { type Transaction } from '../../adapters/postgres/connection';
import { listHeld } from './emailChanges.model';

/**
 * Which of the addresses belong to a change that the former address can still undo. No customer of the merchant can be
 * created with one of these. Addresses are normalized.
 */
export const findHeldAddresses = async (
  merchantId: number,
  addresses: readonly string[],
  inTransaction?: Transaction,
): Promise<ReadonlySet<string>> =>
  new Set((await listHeld([merchantId, addresses], inTransaction)).map(({ address }) => address));
