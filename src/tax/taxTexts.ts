import { amountText } from '../billing/money';
import { percentOf } from '../billing/tax/rates';

/** The tax of a charge, joined to the charge as `t`. Null if none was decided. */
export interface JoinedTax {
  taxMinor: number | null;
  taxRateMilli: number | null;
  taxCountry: string | null;
}

export const taxColumns = `t.tax_minor AS "taxMinor", t.rate_milli AS "taxRateMilli", t.country AS "taxCountry"`;

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
