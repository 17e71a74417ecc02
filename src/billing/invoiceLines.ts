import { payable, type Reduction } from './discounts';
import { type AddedTax } from './tax/addedTax';
import { taxWithin } from './tax/amounts';
import { splitTax } from './tax/split';

/** The price of a purchase at its charge, in minor units. */
export interface ChargedPrice {
  /** What was charged, with its tax. */
  amountMinor: number;
  /** The part that the balance paid. Negative: the debt that is included in the amount. */
  balanceMinor: number;
  /** The price before the voucher. */
  priceMinor: number;
  setupFeeMinor: number;
  reduction: Reduction;
  currency: string;
  /** The tax that was added to the price. Null: the price includes tax. */
  addedTax: Pick<AddedTax, 'milliPercent'> | null;
}

export interface PriceLine {
  kind: 'item' | 'discount' | 'setup_fee' | 'balance';
  grossMinor: number;
  /** Known if the tax was added to the price. */
  taxMinor?: number;
}

/**
 * The lines of a charge. If the fee's price has changed since, or the charge is for a part of a period, the lines would not
 * add up. The charge then has one line. Without I/O and Node modules.
 */
export function linesOfCharge(price: ChargedPrice): PriceLine[] {
  const { balanceMinor, priceMinor, setupFeeMinor, reduction, currency, addedTax } = price;
  const line = (kind: PriceLine['kind'], grossMinor: number): PriceLine[] =>
    grossMinor === 0 ? [] : [{ kind, grossMinor }];
  const pricedMinor = pricedPart(price);
  const balance = line('balance', 0 - balanceMinor);
  const leftMinor = pricedMinor - setupFeeMinor;
  const lines: PriceLine[] =
    leftMinor !== priceMinor && leftMinor !== payable(priceMinor, reduction, currency)
      ? line('item', pricedMinor)
      : [
          { kind: 'item', grossMinor: priceMinor },
          ...line('discount', leftMinor - priceMinor),
          ...line('setup_fee', setupFeeMinor),
        ];
  return [...(addedTax === null ? lines : withTax(lines, price)), ...balance];
}

/** The due amount of a charge as prices are set: with or without tax. */
function pricedPart({ amountMinor, balanceMinor, addedTax }: PricedCharge): number {
  const dueMinor = amountMinor + balanceMinor;
  return addedTax === null ? dueMinor : taxWithin(dueMinor, addedTax.milliPercent).netMinor;
}

type PricedCharge = Pick<ChargedPrice, 'amountMinor' | 'balanceMinor' | 'addedTax'>;

/** Adds the tax of the due amount to the lines, by the largest remainder. */
function withTax(lines: readonly PriceLine[], price: PricedCharge): PriceLine[] {
  const netMinor = pricedPart(price);
  const taxMinor = price.amountMinor + price.balanceMinor - netMinor;
  const shares = splitTax(
    { taxMinor, grossMinor: netMinor },
    lines.map(({ grossMinor }) => grossMinor),
  );
  return lines.map(({ kind, grossMinor }, index) => {
    const tax = shares[index]?.taxMinor ?? 0;
    return { kind, grossMinor: grossMinor + tax, taxMinor: tax };
  });
}

/** The discounts of a purchase: that of its voucher, and that of an offer that its customer has accepted. */
export interface StoredDiscounts {
  discountPercent: number | null;
  discountMinor: number | null;
  offerPercent: number | null;
}

/** The discount that explains the amount of a charge: that of the offer, or else that of the voucher. */
export function reductionOfAmount(price: Omit<ChargedPrice, 'reduction'> & StoredDiscounts) {
  const { priceMinor, setupFeeMinor, currency, offerPercent: offer } = price;
  const leftMinor = pricedPart(price) - setupFeeMinor;
  if (offer !== null && leftMinor === payable(priceMinor, offer, currency)) return { reduction: offer, isOffer: true };
  const voucher: Reduction =
    price.discountMinor === null ? (price.discountPercent ?? 0) : { minor: price.discountMinor };
  return { reduction: voucher, isOffer: false };
}

export interface ReceiptLine extends PriceLine {
  kind: Exclude<PriceLine['kind'], 'balance'>;
}

/** The lines of a receipt that states the balance elsewhere. None if the item is the only one. */
export function receiptLines(price: ChargedPrice): { lines?: ReceiptLine[] } {
  const lines = linesOfCharge(price).flatMap(({ kind, grossMinor }) =>
    kind === 'balance' ? [] : { kind, grossMinor },
  );
  return lines.length > 1 ? { lines } : {};
}
