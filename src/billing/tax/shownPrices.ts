import { establishmentOf, type Evidence, placeOf } from './places';

/** Whether a price is shown with its tax. Without I/O and Node modules. */

export type ShownPriceRule = 'by_country' | 'with_tax' | 'without_tax';

/** Countries in which prices are shown without tax, and the tax is added at the checkout. Elsewhere a consumer sees the total. */
const netCountries: ReadonlySet<string> = new Set(['CA', 'US']);

export interface VisitorPlace {
  sellerCountry: string;
  evidence: Evidence;
  /** Of the billing address. */
  region?: string | undefined;
}

/** Without evidence, the visitor counts as located in the country of the seller. A business sees the form of its country too. */
export function isShownWithTax(rule: ShownPriceRule, { sellerCountry, evidence, region }: VisitorPlace): boolean {
  if (rule !== 'by_country') return rule === 'with_tax';
  const place = establishmentOf(evidence, region) ?? placeOf(evidence);
  return !netCountries.has(place?.country ?? sellerCountry);
}
