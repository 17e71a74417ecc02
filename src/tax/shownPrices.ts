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

/** Whether a customer, or a visitor, sees prices with their tax. */
export const seesTax = (row: QuotedCaseRow): boolean => isShownWithTax(row.shownPrices, readCase(row));

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
  const form = { isAdded, isWithTax: seesTax(row), tax: row.isProvided ? undefined : decide(row), currency };
  const price = inForm(form, toMinor(fee.amount, currency));
  const setup = inForm(form, toMinor(fee.setup_fee?.fee_amount ?? 0, currency));
  return {
    amount: toMajor(price.amountMinor, currency),
    setup_fee_amount: toMajor(setup.amountMinor, currency),
    with_tax: price.isWithTax,
  };
}

interface PriceForm {
  isAdded: boolean;
  isWithTax: boolean;
  /** Undefined if a provider calculates the tax: it is not asked for each visitor, so the price is shown as it is stored. */
  tax: AddedTax | undefined;
  currency: string;
}

function inForm({ isAdded, isWithTax, tax, currency }: PriceForm, priceMinor: number) {
  if (!tax) return { amountMinor: priceMinor, isWithTax: !isAdded };
  const { netMinor, taxMinor, grossMinor } = taxOf(dueOf(priceMinor, isAdded ? tax : null, currency), tax);
  if (isWithTax) return { amountMinor: grossMinor, isWithTax };
  // The address at the checkout can still bring a tax to a price to which it is added.
  return isAdded ? { amountMinor: priceMinor, isWithTax } : { amountMinor: netMinor, isWithTax: taxMinor === 0 };
}
