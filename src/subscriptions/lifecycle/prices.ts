import { dueOf } from '../../billing/tax/addedTax';
import { firstCharge, payable, reductionOf, type Reduction } from '../../billing/discounts';
import { type DiscountTerms, type OfferTerms, type PriceTerms, type SubscriptionFacts } from '../subscriptions.model';

/**
 * The prices of a subscription's charges, which are counted from 1. Prices are as the merchant sets them, with or without
 * tax. Due amounts include tax.
 */

/** The number for "no charge", which has no discount. */
export const noCharge = 0;

/** The price of a period, less the discount for this number of charge. */
export function discountedPrice(
  row: Omit<PriceTerms, 'setupFeeMinor' | 'addedTax'>,
  charge: number,
  priceMinor = row.priceMinor,
): number {
  return payable(priceMinor, reductionOfCharge(row, charge), row.currency);
}

/** The due amount of a charge for a period. */
export const dueFor = (row: Omit<PriceTerms, 'setupFeeMinor'>, charge: number): number =>
  dueOf(discountedPrice(row, charge), row.addedTax, row.currency);

/** The due amount of the first charge of a subscription, which includes the setup fee. */
export function firstAmount(row: PriceTerms): number {
  const { priceMinor, setupFeeMinor, currency, addedTax } = row;
  return dueOf(firstCharge(priceMinor, setupFeeMinor, reductionOfCharge(row, 1), currency), addedTax, currency);
}

/** The discount on the charge with this number, counted from 1; 0 if there is none, or for `noCharge`. */
export function reductionOfCharge(row: DiscountTerms, charge: number): Reduction {
  const offered = offeredPercent(row, charge);
  if (offered > 0) return offered;
  const { discountPercent: percent, rebillPercent, discountPeriod: period, discountDuration: duration } = row;
  if (percent === null || period === null || charge === 0) return 0;
  const fixed = row.discountMinor === null ? undefined : { minor: row.discountMinor, rebillMinor: row.rebillMinor };
  return reductionOf({ percent, rebillPercent, fixed, period, duration }, charge);
}

/** The discount of an offer on the charge with this number; 0 if it does not apply. */
function offeredPercent({ offerPercent, offerFrom, offerTo }: Partial<OfferTerms>, charge: number): number {
  const applies = charge >= (offerFrom ?? Infinity) && charge <= (offerTo ?? 0);
  return applies ? (offerPercent ?? 0) : 0;
}

/**
 * The due amount of the next period before the balance: the discounted price and, in the first charge, the setup fee.
 */
export const nextCharge = (row: CountedTerms) =>
  dueOf(discountedPrice(row, row.discountCycle + 1) + setupOf(row), row.addedTax, row.currency);

/** What a due amount pays for the period: the setup fee is used up at once. */
export const paidForPeriod = (
  dueMinor: number,
  setupFeeMinor: number,
  row: Pick<PriceTerms, 'addedTax' | 'currency'>,
) => Math.max(0, dueMinor - dueOf(setupFeeMinor, row.addedTax, row.currency));

type CountedTerms = PriceTerms & Pick<SubscriptionFacts, 'discountCycle'>;

/** The first charge includes the setup fee. */
export const setupOf = (row: CountedTerms) => (row.discountCycle === 0 ? row.setupFeeMinor : 0);
