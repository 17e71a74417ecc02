import { getMerchantUuid } from '../../accounts/merchants/merchantUuids';
import { merchantNow } from '../../adapters/clock';
import { countryOf } from '../../adapters/geoip';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { findCountrySet } from '../../restrictions/restrictions';
import { toMajor } from '../../billing/money';
import { presentAccessType } from '../accessTypes.presenter';
import { describeItem, getItemById, getItemRow, type LoadedCard } from '../items';
import { type FeeRow, findFee, findFees, findPricedItem, findSellableFee, type SellableFee } from './accessFees.model';
import { presentAccessFee } from './accessFees.presenter';

export { findPricedItem, type SellableFee };

/** The visitor who sees prices. Some prices are limited to countries. */
export type Viewer = Pick<Caller, 'clientAddress'>;
type Fee = ReturnType<typeof describeFee>;

/** The fees on sale now for the visitor's country. */
export async function listAccessFees(itemId: number, viewer: Viewer): Promise<Fee[]> {
  const item = await getItemById(itemId);
  const merchantUuid = await getMerchantUuid(item.merchantId);
  return (await feesOf([{ item, merchantUuid }], viewer)).get(itemId) ?? [];
}

/**
 * The fees of a merchant's items, by item id, in one statement. With a viewer, only the fees on sale for the viewer.
 * Without one, all fees that are not retired.
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

/** Cards with their fees, for older clients. */
export async function describeWithFees(items: readonly LoadedCard[], viewer?: Viewer) {
  const fees = await feesOf(items, viewer);
  return items.map((loaded) => ({ ...describeItem(loaded), access_fees: fees.get(loaded.item.id) ?? [] }));
}

/** Every fee of the caller's item that is not retired. */
export async function listOwnFees({ merchantId, merchantUuid }: Caller, itemId: number): Promise<Fee[]> {
  const item = await getItemRow(merchantId, itemId);
  return (await feesOf([{ item, merchantUuid }])).get(itemId) ?? [];
}

/** The terms of an item's fees on sale that decide on the payment methods. */
export async function listSoldFees(caller: Pick<Caller, 'merchantId' | 'clientAddress'>, itemId: number) {
  await getItemRow(caller.merchantId, itemId);
  const fees = await onSaleTo(caller, await findFees([itemId]));
  return fees.map(({ currency, type: { name: accessType, quantity, period } }) => ({
    currency,
    accessType,
    quantity,
    period,
  }));
}

export async function getAccessFee(caller: Caller, itemId: number, feeId: number): Promise<Fee> {
  const item = await getItemRow(caller.merchantId, itemId);
  const fee = await findFee(caller.merchantId, feeId);
  if (fee?.itemId !== itemId) throw new AppError('access_fee_not_found');
  return describeFee(fee, { item, merchantUuid: caller.merchantUuid });
}

/** A fee that the caller can buy now. */
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

/** A fee that was bought before, on sale or not. */
export async function getKnownFee({ merchantId }: Pick<Caller, 'merchantId'>, feeId: number): Promise<SellableFee> {
  const fee = await findSellableFee(merchantId, feeId);
  if (!fee) throw new AppError('access_fee_not_found');
  return fee;
}

type Offer = Pick<FeeRow, 'merchantId' | 'startsAt' | 'expiresAt' | 'countryIso' | 'countrySetId' | 'restrictionType'>;

/** The fees that are on sale now in the viewer's country. */
async function onSaleTo<F extends Offer>(viewer: Viewer, fees: readonly F[], known?: Date): Promise<F[]> {
  const [first] = fees;
  if (!first) return [];
  const present = known ?? (fees.some(isTimed) ? await merchantNow(first.merchantId) : new Date());
  const sold = fees.filter((fee) => isOnSale(fee, present));
  const country = sold.some(isByCountry) ? countryOf(viewer.clientAddress) : undefined;
  const verdicts = await Promise.all(sold.map((fee) => isForCountry(fee, country)));
  return sold.filter((_fee, index) => verdicts[index]);
}

const isTimed = ({ startsAt, expiresAt }: Offer) => startsAt !== null || expiresAt !== null;

function isOnSale(fee: Offer, present: Date): boolean {
  return (fee.startsAt === null || fee.startsAt <= present) && (fee.expiresAt === null || fee.expiresAt > present);
}

const isByCountry = ({ countryIso, countrySetId }: Offer) => countryIso !== null || countrySetId !== null;

/**
 * An unknown country is in no list, so a whitelist refuses it and a blacklist allows it. A fee whose country set is not
 * yet loaded by this replica is on sale in no country.
 */
async function isForCountry(fee: Offer, country: string | undefined): Promise<boolean> {
  if (!isByCountry(fee)) return true;
  const { merchantId, countryIso, countrySetId, restrictionType } = fee;
  const set = countrySetId === null ? undefined : await findCountrySet(merchantId, countrySetId);
  if (countrySetId !== null && !set) return false;
  const isListed = country !== undefined && (set ? set.countries.has(country) : countryIso === country);
  return isListed === ((restrictionType ?? set?.type ?? 'whitelist') === 'whitelist');
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
