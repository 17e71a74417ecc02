import { type z } from 'zod';
import { getAccountRow } from '../../accounts/service';
import { merchantNow } from '../../adapters/clock';
import { countryOf } from '../../adapters/geoip';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { findCountrySet } from '../../restrictions/service';
import { toMajor } from '../../subscriptions/billing/money';
import { describeVoucherRule } from '../../vouchers/feeRules/service';
import { presentAccessType } from '../accessTypes/presenter';
import { describeItem, getItemById, getItemRow, type LoadedCard } from '../service';
import { type FeeRow, findFee, findFees, findSellableFee, type SellableFee } from './model';
import { presentAccessFee } from './presenter';
import { type FeeQuery } from './schemas';

export type { SellableFee };

/** Who looks at prices: some are for visitors of some countries only. */
export type Viewer = Pick<Caller, 'clientAddress'>;
type Fee = ReturnType<typeof describeFee>;

/**
 * What anyone may buy now: a fee outside its dates or for another country is left out. `expand.voucher`: each also tells
 * of that voucher, where it is tied to the fee.
 */
export async function listAccessFees(
  itemId: number,
  viewer: Viewer,
  { expand }: z.output<typeof FeeQuery> = {},
): Promise<Fee[]> {
  const item = await getItemById(itemId);
  const { uuid: merchantUuid } = await getAccountRow(item.merchantId);
  const fees = (await feesOf([{ item, merchantUuid }], viewer)).get(itemId) ?? [];
  const voucherId = expand?.voucher;
  if (voucherId === undefined) return fees;
  const withRule = fees.map(async (fee) => {
    const rule = await describeVoucherRule(fee.merchant_id, fee.id, voucherId);
    return { ...fee, voucher_rule: rule ?? null };
  });
  return Promise.all(withRule);
}

/**
 * The fees of one merchant's items, by the item's id, in one statement. With a viewer, those that it may buy now;
 * without, every one that the merchant has not retired.
 */
export async function feesOf(items: readonly LoadedCard[], viewer?: Viewer): Promise<Map<number, Fee[]>> {
  const byId = new Map(items.map((loaded) => [loaded.item.id, loaded]));
  const rows = await findFees([...byId.keys()]);
  const shown = viewer ? await onSaleTo(viewer, rows) : rows;
  const found = new Map(items.map(({ item }) => [item.id, [] as Fee[]]));
  for (const fee of shown) {
    const loaded = byId.get(fee.itemId);
    if (loaded && (viewer === undefined || loaded.item.isActive)) found.get(fee.itemId)?.push(describeFee(fee, loaded));
  }
  return found;
}

/** Cards as old clients read an item: with its fees. */
export async function describeWithFees(items: readonly LoadedCard[], viewer?: Viewer) {
  const fees = await feesOf(items, viewer);
  return items.map((loaded) => ({ ...describeItem(loaded), access_fees: fees.get(loaded.item.id) ?? [] }));
}

/** Every fee of the caller's item that is not retired. */
export async function listOwnFees({ merchantId, merchantUuid }: Caller, itemId: number): Promise<Fee[]> {
  const item = await getItemRow(merchantId, itemId);
  return (await feesOf([{ item, merchantUuid }])).get(itemId) ?? [];
}

export async function getAccessFee(caller: Caller, itemId: number, feeId: number): Promise<Fee> {
  const item = await getItemRow(caller.merchantId, itemId);
  const fee = await findFee(caller.merchantId, feeId);
  if (fee?.itemId !== itemId) throw new AppError('access_fee_not_found');
  return describeFee(fee, { item, merchantUuid: caller.merchantUuid });
}

/** A fee that a buyer of a merchant may buy now, with its type and item. */
export async function getSellableFee(
  buyer: Pick<Caller, 'merchantId' | 'clientAddress'>,
  feeId: number,
): Promise<SellableFee> {
  const fee = await getKnownFee(buyer, feeId);
  if (fee.isRetired || !fee.isItemActive) throw new AppError('access_fee_not_found');
  const [onSale] = await onSaleTo(buyer, [{ ...fee, merchantId: buyer.merchantId }], fee.present);
  if (!onSale) throw new AppError('access_fee_not_found');
  return fee;
}

/** The same whether it is sold now or not: of what was paid for before. */
export async function getKnownFee({ merchantId }: Pick<Caller, 'merchantId'>, feeId: number): Promise<SellableFee> {
  const fee = await findSellableFee(merchantId, feeId);
  if (!fee) throw new AppError('access_fee_not_found');
  return fee;
}

type Offer = Pick<FeeRow, 'merchantId' | 'startsAt' | 'expiresAt' | 'countryIso' | 'countrySetId' | 'restrictionType'>;

/** Those of one merchant's fees that are sold now, to visitors of the viewer's country. */
async function onSaleTo<F extends Offer>(viewer: Viewer, fees: readonly F[], known?: Date): Promise<F[]> {
  const [first] = fees;
  if (!first) return [];
  const present = known ?? (await merchantNow(first.merchantId));
  const sold = fees.filter((fee) => isOnSale(fee, present));
  const country = sold.some(isByCountry) ? countryOf(viewer.clientAddress) : undefined;
  const verdicts = await Promise.all(sold.map((fee) => isForCountry(fee, country)));
  return sold.filter((_fee, index) => verdicts[index]);
}

function isOnSale(fee: Offer, present: Date): boolean {
  return (fee.startsAt === null || fee.startsAt <= present) && (fee.expiresAt === null || fee.expiresAt > present);
}

const isByCountry = ({ countryIso, countrySetId }: Offer) => countryIso !== null || countrySetId !== null;

/**
 * An unknown country is in no list: refused by a whitelist, passed by a blacklist (decisions 10). A set that this replica has
 * not heard of yet lets nobody in.
 */
async function isForCountry(fee: Offer, country: string | undefined): Promise<boolean> {
  if (!isByCountry(fee)) return true;
  const { merchantId, countryIso, countrySetId, restrictionType } = fee;
  const set = countrySetId === null ? undefined : await findCountrySet(merchantId, countrySetId);
  const isNamed = country !== undefined && (set ? set.countries.has(country) : countryIso === country);
  return isNamed === ((restrictionType ?? set?.type ?? 'whitelist') === 'whitelist');
}

function describeFee(fee: FeeRow, loaded: LoadedCard) {
  const { currency, setupFeeMinor } = fee;
  return presentAccessFee(fee, {
    item: describeItem(loaded),
    accessType: presentAccessType(fee.type),
    amount: toMajor(fee.amountMinor, currency),
    setupFee: setupFeeMinor === null ? undefined : toMajor(setupFeeMinor, currency),
  });
}
