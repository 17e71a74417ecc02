import { type z } from 'zod';
import { countryOf } from '../adapters/geoip';
import { percentOf } from '../billing/tax/rates';
import { isAmount, toMajor, toMinor } from '../billing/money';
import { getSellableFee } from '../items/accessFees/accessFees';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { quotePriceTax, type QuotedTax } from './quotedTaxes';
import { type TaxPart, type TaxQuote } from './taxQuotes.schemas';

/** The tax that a payment of this customer would have now, of any card whose country is not known yet. */
export async function getTaxQuote(caller: Caller, feeId: number, amount?: number): Promise<z.output<typeof TaxQuote>> {
  const fee = await getSellableFee(caller, feeId);
  const { currency, itemId } = fee;
  if (amount !== undefined && !isAmount(amount, currency))
    throw new AppError('invalid_input', { errors: { amount: `The amount must be an amount in ${currency}.` } });
  const priceMinor = amount === undefined ? fee.amountMinor + (fee.setupFeeMinor ?? 0) : toMinor(amount, currency);
  const network = countryOf(caller.clientAddress);
  const quoted = await quotePriceTax(caller, { itemId, currency, priceMinor, network });
  const amountMinor = quoted?.grossMinor ?? priceMinor;
  return {
    has_tax: quoted !== undefined,
    amount: toMajor(amountMinor, currency),
    currency,
    treatment: quoted?.treatment ?? '',
    ...presentPart(quoted, amountMinor, currency),
    shown_with_tax: quoted?.isShownWithTax ?? true,
    ...(quoted?.isAdded && { tax_behavior: 'exclusive' as const }),
  };
}

/** In the major unit. Without tax, the whole amount is net. */
export function presentPart(
  quoted: QuotedTax | undefined,
  amountMinor: number,
  currency: string,
): z.output<typeof TaxPart> {
  if (!quoted) return { net_amount: toMajor(amountMinor, currency), tax_amount: 0, tax_rate: 0, tax_country: '' };
  return {
    net_amount: toMajor(quoted.netMinor, currency),
    tax_amount: toMajor(quoted.taxMinor, currency),
    tax_rate: percentOf(quoted.milliPercent),
    tax_country: quoted.country,
  };
}
