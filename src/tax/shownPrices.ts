import { type z } from 'zod';
import { countryOf } from '../adapters/geoip';
import { toMajor, toMinor } from '../billing/money';
import { type AddedTax, dueOf } from '../billing/tax/addedTax';
import { taxOf } from '../billing/tax/decision';
import { isShownWithTax } from '../billing/tax/shownPrices';
import { findQuotedCase, type QuotedCaseRow } from './chargeTaxes.model';
import { type ShownPrice } from './shownPrices.schemas';
import { decide, readCase } from './taxCases';

/** Prices in the form of the visitor's country: with their tax, or without it. docs/tax.md has the rules. */

/** `accountId` is null for a visitor who is not signed in, whose network address alone is known. */
export interface PriceViewer {
  merchantId: number;
  accountId: number | null;
  clientAddress: string;
}

interface PricedFee {
  item_id: number;
  amount: number;
  currency: string;
  setup_fee: { fee_amount: number } | null;
}

type Shown = z.output<typeof ShownPrice>;

/**
 * Whether a price is shown with its tax. A price that includes no tax is the total, so it has the same form everywhere. An added
 * tax of 0 is not final, because the address at the checkout can still bring one.
 */
export const hasFormWithTax = (
  row: QuotedCaseRow,
  { isAdded, milliPercent }: { isAdded: boolean; milliPercent: number },
): boolean => isShownWithTax(row.shownPrices, readCase(row)) || (!isAdded && milliPercent === 0);

/**
 * The fees of an item with the form of their prices. `isAdded`: whether the tax is added to the price, if this differs from what
 * the merchant has set for new purchases.
 */
export async function withShownPrices<Fee extends PricedFee>(
  viewer: PriceViewer,
  fees: readonly Fee[],
  { isAdded }: { isAdded?: boolean } = {},
): Promise<(Fee & { shown_price?: Shown })[]> {
  const network = countryOf(viewer.clientAddress);
  const shown: (Fee & { shown_price?: Shown })[] = [];
  // The stored card of a customer can differ by currency.
  const rows = new Map<string, QuotedCaseRow | undefined>();
  for (const fee of fees) {
    const { item_id: itemId, currency } = fee;
    if (!rows.has(currency))
      rows.set(currency, await findQuotedCase(viewer.merchantId, viewer.accountId, { itemId, currency, network }));
    const row = rows.get(currency);
    shown.push(row ? { ...fee, shown_price: shownPriceOf(row, fee, isAdded ?? !row.pricesIncludeTax) } : fee);
  }
  return shown;
}

function shownPriceOf(row: QuotedCaseRow, fee: PricedFee, isAdded: boolean): Shown {
  const { currency } = fee;
  const tax = row.isProvided ? undefined : decide(row);
  const isWithTax = tax ? hasFormWithTax(row, { isAdded, ...tax }) : !isAdded;
  const shownOf = (amount: number) => toMajor(inForm({ isAdded, isWithTax, tax, currency }, amount), currency);
  return {
    amount: shownOf(fee.amount),
    setup_fee_amount: shownOf(fee.setup_fee?.fee_amount ?? 0),
    with_tax: isWithTax,
  };
}

interface PriceForm {
  isAdded: boolean;
  isWithTax: boolean;
  /** Undefined if a provider calculates the tax: it is not asked for each visitor, so the price is shown as it is stored. */
  tax: AddedTax | undefined;
  currency: string;
}

/** In minor units. */
function inForm({ isAdded, isWithTax, tax, currency }: PriceForm, amount: number): number {
  const priceMinor = toMinor(amount, currency);
  // The stored price has this form already.
  if (!tax || isAdded !== isWithTax) return priceMinor;
  return isAdded ? dueOf(priceMinor, tax, currency) : taxOf(priceMinor, tax).netMinor;
}
