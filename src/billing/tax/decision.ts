import { taxWithin, type TaxedAmount } from './amounts';
import { establishmentOf, placeOf, reverseChargeCountries, unionCountries, type Evidence } from './places';
import { findRate, type RateTable, type TaxKind } from './rates';

/** The tax of a charge. Without I/O and Node modules. docs/tax.md explains the treatments. */

/** `exempt`: the seller is registered without charging tax, such as a small business. */
export const taxSchemes = ['domestic', 'oss', 'ioss', 'exempt'] as const;
export type TaxScheme = (typeof taxSchemes)[number];

export interface Registration {
  country: string;
  region?: string | undefined;
  scheme: TaxScheme;
}

export const treatments = ['domestic', 'oss', 'seller_country', 'reverse_charge', 'not_registered', 'exempt'] as const;
export type Treatment = (typeof treatments)[number];

export interface TaxCase {
  /** The country of the seller's establishment. */
  sellerCountry: string;
  registrations: readonly Registration[];
  evidence: Evidence;
  /** ISO 3166-2, of the billing address. */
  region?: string | undefined;
  kind: TaxKind;
  /** The start of the period, or the time of a one-time payment. */
  atMs: number;
}

export interface TaxDecision {
  treatment: Treatment;
  /** The country that receives the tax. */
  country: string;
  region?: string | undefined;
  milliPercent: number;
  /** Whether two pieces of evidence agree on the country of the customer, apart from the tax number that it entered. */
  isProved: boolean;
}

/** Without evidence, the customer counts as located in the country of the seller. */
export function decideTax(table: RateTable, taxCase: TaxCase): TaxDecision {
  const { sellerCountry, evidence, region, kind, atMs } = taxCase;
  const business = establishmentOf(evidence);
  const { country, isProved } = business ?? placeOf(evidence) ?? { country: sellerCountry, isProved: false };
  const ofCountry = region?.startsWith(`${country}-`) === true ? region : undefined;
  const { treatment, taxed } = treatmentOf(taxCase, { country, region: ofCountry, isBusiness: business !== undefined });
  const place = { country: taxed, ...(taxed === country && ofCountry !== undefined && { region: ofCountry }) };
  const isTaxed = treatment === 'domestic' || treatment === 'oss' || treatment === 'seller_country';
  const milliPercent = isTaxed ? findRate(table, { ...place, kind, atMs }) : 0;
  if (milliPercent === undefined) return { treatment: 'not_registered', ...place, milliPercent: 0, isProved };
  return { treatment, ...place, milliPercent, isProved };
}

/** `taxed`: the country that receives the tax. */
function treatmentOf(
  { sellerCountry, registrations }: TaxCase,
  { country, region, isBusiness }: { country: string; region: string | undefined; isBusiness: boolean },
): { treatment: Treatment; taxed: string } {
  const inPlace = schemeIn(registrations, country, region);
  if (inPlace === 'exempt') return { treatment: 'exempt', taxed: country };
  if (isBusiness && country !== sellerCountry && reverseChargeCountries.has(country))
    return { treatment: 'reverse_charge', taxed: country };
  if (inPlace === 'domestic') return { treatment: 'domestic', taxed: country };
  if (!unionCountries.has(country)) return { treatment: 'not_registered', taxed: country };
  if (registrations.some(({ scheme }) => scheme === 'oss') && country !== sellerCountry)
    return { treatment: 'oss', taxed: country };
  if (!unionCountries.has(sellerCountry)) return { treatment: 'not_registered', taxed: country };
  // Below the threshold of the Union, sales to other member states are sales at home.
  if (schemeIn(registrations, sellerCountry) === 'exempt') return { treatment: 'exempt', taxed: sellerCountry };
  return registrations.some((each) => isHome(each, sellerCountry))
    ? { treatment: 'seller_country', taxed: sellerCountry }
    : { treatment: 'not_registered', taxed: country };
}

const isHome = ({ scheme, country }: Registration, sellerCountry: string) =>
  scheme === 'domestic' && country === sellerCountry;

/**
 * How a seller is registered in a place. The registration of the region counts before that of the country, and an exemption
 * before tax.
 */
function schemeIn(registrations: readonly Registration[], country: string, region?: string) {
  for (const place of new Set([region, undefined]))
    for (const scheme of ['exempt', 'domestic'] as const)
      if (registrations.some((each) => each.country === country && each.region === place && each.scheme === scheme))
        return scheme;
  return undefined;
}

/** Prices include tax. The amount of a charge never changes, and its tax is a part of it. */
export const taxOf = (grossMinor: number, { milliPercent }: TaxDecision): TaxedAmount =>
  taxWithin(grossMinor, milliPercent);
