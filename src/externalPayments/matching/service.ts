import { type StoreName } from '../../adapters/appStores/store';
import { type Transaction } from '../../adapters/postgres/connection';
import { storeProviderIds } from '../stores/service';
import { findFeeById, hasNames, listFeesNamed, type MatchedFee } from './model';

export { type MatchedFee } from './model';

/** A fee of the merchant, on sale or not. */
export const findFee = findFeeById;

/**
 * The fee that a store's product is: by `external_fees`, else by its name, `<item>_<access fee>`. Names given under a
 * number that is no store's count too, as long as they all mean one fee.
 */
export async function matchProduct(
  merchantId: number,
  store: StoreName,
  productId: string,
  inTransaction?: Transaction,
): Promise<MatchedFee | undefined> {
  if (productId === '') return undefined;
  const named = await listFeesNamed(merchantId, productId, inTransaction);
  const own = named.find(({ provider }) => provider === storeProviderIds[store]);
  if (own) return own;
  const [first] = named;
  if (first && named.every(({ id }) => id === first.id)) return first;
  const [, itemId, feeId] = /^(?:.*\.)?(\d{1,9})_(\d{1,9})$/.exec(productId) ?? [];
  if (feeId === undefined) return undefined;
  const fee = await findFeeById(merchantId, Number(feeId), inTransaction);
  return fee?.itemId === Number(itemId) ? fee : undefined;
}

/**
 * The fee that a claim opens. What the store sold decides; only where its product says nothing is the app believed, and
 * then for no fee that has a product of its own: a cheap purchase must not open a dear item.
 */
export async function matchClaim(
  merchantId: number,
  store: StoreName,
  productId: string,
  claimed: { accessFeeId: number | null; productName: string | null },
): Promise<MatchedFee | undefined> {
  const sold = await matchProduct(merchantId, store, productId);
  if (sold) return sold;
  const fee = await claimedFee(merchantId, store, claimed);
  return fee && !(await hasNames(fee.id)) ? fee : undefined;
}

/** The fee that the app says it is. */
export async function claimedFee(
  merchantId: number,
  store: StoreName,
  { accessFeeId, productName }: { accessFeeId: number | null; productName: string | null },
): Promise<MatchedFee | undefined> {
  if (accessFeeId !== null) return findFeeById(merchantId, accessFeeId);
  return productName === null ? undefined : matchProduct(merchantId, store, productName);
}
