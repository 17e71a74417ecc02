import { amountText } from '../billing/money';
import { percentOf } from '../billing/tax/rates';
import { type JoinedTax } from './chargeTaxes.model';

/** The tax within the amount of a receipt. None if no tax was decided. */
export function taxPart({ taxMinor, taxRateMilli }: Pick<JoinedTax, 'taxMinor' | 'taxRateMilli'>) {
  return taxMinor === null || taxMinor === 0 ? {} : { tax: { amountMinor: taxMinor, rateMilli: taxRateMilli ?? 0 } };
}

/** The fields of an event that tell the tax within its amount. None if no tax was decided. */
export function describeTax(amountMinor: number, currency: string, tax: JoinedTax | undefined) {
  if (!tax || tax.taxMinor === null) return {};
  return {
    net_amount: amountText(amountMinor - tax.taxMinor, currency),
    tax_amount: amountText(tax.taxMinor, currency),
    tax_rate: percentOf(tax.taxRateMilli ?? 0),
    tax_country: tax.taxCountry ?? '',
  };
}
