import { type StoreName, type StorePurchase } from '../adapters/appStores/store';
import { type Transaction } from '../adapters/postgres/connection';
import { isCurrency, toMajor } from '../billing/money';
import { storeProviderIds } from '../stores/stores';
import {
  findFeeById,
  findSuccessor,
  hasNames,
  isRetiredName,
  listFeesNamed,
  type MatchedFee,
} from './productMapping.model';

export { type MatchedFee } from './productMapping.model';

/** A fee of the merchant, whether or not it is still sold. */
export const findFee = findFeeById;

/** The product that was bought, as the store names it. */
export interface SoldProduct {
  store: StoreName;
  productId: string;
  kind: StorePurchase['kind'];
}

/** The product that the app claims to have bought. */
export interface ClaimedProduct {
  accessFeeId: number | null;
  productName: string | null;
}

/** Finds the fee of a store's product and of its kind. Undefined if several fees share the product's name. */
export async function matchProduct(
  merchantId: number,
  sold: SoldProduct,
  inTransaction?: Transaction,
): Promise<MatchedFee | undefined> {
  return chosenOf(await listMapped(merchantId, sold, inTransaction), sold, null);
}

/**
 * Finds the fee that a claim opens. The product that the store sold decides, so that a cheap purchase cannot open an
 * expensive item. The app chooses among fees that share the product's name. If no fee has that name, the app's word
 * counts only if the merchant allows it.
 */
export async function matchClaim(
  merchantId: number,
  store: StoreName,
  found: Pick<StorePurchase, 'reference' | 'kind' | 'price' | 'isTrial'>,
  claimed: ClaimedProduct,
  { opensUnmapped }: { opensUnmapped: boolean },
): Promise<MatchedFee | 'unknown_product' | 'wrong_kind'> {
  const sold = { store, productId: found.reference.productId, kind: found.kind };
  const mapped = await listMapped(merchantId, sold);
  const fee = chosenOf(mapped, sold, claimed.accessFeeId);
  if (fee) return fee;
  if (mapped.length > 0) return mapped.some((one) => isOfKind(one, sold)) ? 'unknown_product' : 'wrong_kind';
  const unmapped = opensUnmapped ? await findUnmapped(merchantId, sold, found, claimed) : undefined;
  return unmapped ?? 'unknown_product';
}

/** The fee that the app claims to have bought. */
export async function claimedFee(
  merchantId: number,
  store: StoreName,
  kind: StorePurchase['kind'] | undefined,
  { accessFeeId, productName }: ClaimedProduct,
): Promise<MatchedFee | undefined> {
  if (accessFeeId !== null) return findFeeById(merchantId, accessFeeId);
  if (productName === null) return undefined;
  const named = await listMapped(merchantId, { store, productId: productName });
  return named.find((fee) => kind === undefined || isOfKind(fee, { kind }));
}

function chosenOf(mapped: readonly MatchedFee[], sold: SoldProduct, chosenId: number | null): MatchedFee | undefined {
  const fees = mapped.filter((fee) => isOfKind(fee, sold));
  return fees.find(({ id }) => id === chosenId) ?? (fees.length === 1 ? fees[0] : undefined);
}

const isOfKind = ({ accessType }: MatchedFee, { kind }: Pick<SoldProduct, 'kind'>) =>
  (accessType === 'subscription') === (kind === 'subscription');

const storeNumbers = new Set(Object.values(storeProviderIds));

/**
 * The fees on sale that are mapped to the product: by `external_fees` under the store's number, otherwise under a
 * number that belongs to no store, otherwise by the name `<item>_<access fee>`.
 */
async function listMapped(
  merchantId: number,
  { store, productId }: Pick<SoldProduct, 'store' | 'productId'>,
  inTransaction?: Transaction,
): Promise<MatchedFee[]> {
  if (productId === '') return [];
  const named = await listFeesNamed(merchantId, productId, inTransaction);
  const own = named.find(({ provider }) => provider === storeProviderIds[store]);
  if (own) return [own];
  const others = named.filter(({ provider }) => !storeNumbers.has(provider));
  if (others.length > 0) return [...new Map(others.map((fee) => [fee.id, fee])).values()];
  const numbers = numbersIn(productId);
  const fee = numbers && (await findSuccessor(merchantId, numbers.feeId, inTransaction));
  return fee && !fee.isRetired && fee.itemId === numbers.itemId ? [fee] : [];
}

function numbersIn(productId: string): { itemId: number; feeId: number } | undefined {
  const [, itemId, feeId] = /^(?:.*\.)?(\d{1,9})_(\d{1,9})$/.exec(productId) ?? [];
  return feeId === undefined ? undefined : { itemId: Number(itemId), feeId: Number(feeId) };
}

/**
 * The claimed fee, if it is of the product's kind, on sale, not mapped to another product, and does not cost more than
 * was paid.
 */
async function findUnmapped(
  merchantId: number,
  sold: SoldProduct,
  found: Pick<StorePurchase, 'price' | 'isTrial'>,
  claimed: ClaimedProduct,
): Promise<MatchedFee | undefined> {
  const fee = await claimedFee(merchantId, sold.store, sold.kind, claimed);
  if (!fee || fee.isRetired || !isOfKind(fee, sold) || (await hasNames(fee.id))) return undefined;
  if (await wasMapped(merchantId, sold.productId)) return undefined;
  const { amountMinor, currency } = storePriceOf(found);
  return amountMinor !== null && currency === fee.currency && amountMinor >= fee.amountMinor ? fee : undefined;
}

/** True if the product belonged to a fee that is no longer sold. Such a product must not open another fee. */
async function wasMapped(merchantId: number, productId: string): Promise<boolean> {
  if (await isRetiredName(merchantId, productId)) return true;
  const numbers = numbersIn(productId);
  return numbers !== undefined && (await findFeeById(merchantId, numbers.feeId))?.itemId === numbers.itemId;
}

/** The price in minor units, rounded. Null if the store reports no price or an unknown currency. */
export function storePriceOf({ price, isTrial }: Pick<StorePurchase, 'price' | 'isTrial'>): {
  amountMinor: number | null;
  currency: string | null;
} {
  if (price === null || !isCurrency(price.currency)) return { amountMinor: null, currency: null };
  const { amount, currency } = price;
  return { amountMinor: isTrial ? 0 : Math.round(amount / toMajor(1, currency)), currency };
}
