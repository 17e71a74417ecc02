import { payable, type Reduction } from './discounts';

/** The price of a purchase at its charge. Amounts are in minor units and include tax. */
export interface ChargedPrice {
  amountMinor: number;
  /** The part that the balance paid. Negative: the debt that is included in the amount. */
  balanceMinor: number;
  /** The price before the voucher. */
  priceMinor: number;
  setupFeeMinor: number;
  reduction: Reduction;
  currency: string;
}

export interface PriceLine {
  kind: 'item' | 'discount' | 'setup_fee' | 'balance';
  grossMinor: number;
}

/**
 * The lines of a charge. If the fee's price has changed since, or the charge is for a part of a period, the lines would not
 * add up. The charge then has one line. Without I/O and Node modules.
 */
export function linesOfCharge(price: ChargedPrice): PriceLine[] {
  const { amountMinor, balanceMinor, priceMinor, setupFeeMinor, reduction, currency } = price;
  const line = (kind: PriceLine['kind'], grossMinor: number): PriceLine[] =>
    grossMinor === 0 ? [] : [{ kind, grossMinor }];
  const dueMinor = amountMinor + balanceMinor;
  const balance = line('balance', 0 - balanceMinor);
  const leftMinor = dueMinor - setupFeeMinor;
  if (leftMinor !== priceMinor && leftMinor !== payable(priceMinor, reduction, currency))
    return [...line('item', dueMinor), ...balance];
  return [
    { kind: 'item', grossMinor: priceMinor },
    ...line('discount', leftMinor - priceMinor),
    ...line('setup_fee', setupFeeMinor),
    ...balance,
  ];
}

/** The discounts of a purchase: that of its voucher, and that of an offer that its customer has accepted. */
export interface StoredDiscounts {
  discountPercent: number | null;
  discountMinor: number | null;
  offerPercent: number | null;
}

/** The discount that explains the amount of a charge: that of the offer, or else that of the voucher. */
export function reductionOfAmount(price: Omit<ChargedPrice, 'reduction'> & StoredDiscounts) {
  const { amountMinor, balanceMinor, priceMinor, setupFeeMinor, currency, offerPercent: offer } = price;
  const leftMinor = amountMinor + balanceMinor - setupFeeMinor;
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
