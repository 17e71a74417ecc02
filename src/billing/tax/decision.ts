import { taxWithin, type TaxedAmount } from './amounts';
import {
  countriesTaxedByRegistered,
  establishmentOf,
  isOuterRegion,
  placeOf,
  provincesWithTax,
  reverseChargeCountries,
  taxCountryOf,
  unionCountries,
  type Evidence,
} from './places';
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

export const treatments = [
  ...(['domestic', 'oss', 'seller_country', 'reverse_charge'] as const),
  ...(['outside_scope', 'not_registered', 'exempt'] as const),
] as const;
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
export function decideTax(table: RateTable, given: TaxCase): TaxDecision {
  const taxCase = inTerritories(given);
  const { sellerCountry, evidence, region } = taxCase;
  const business = establishmentOf(evidence, region);
  const { country, isProved } = business ?? placeOf(evidence) ?? { country: sellerCountry, isProved: false };
  const ofCountry = region?.startsWith(`${country}-`) === true ? region : undefined;
  const { treatment, taxed } = treatmentOf(taxCase, { country, region: ofCountry, isBusiness: business !== undefined });
  const place = { country: taxed, ...(taxed === country && ofCountry !== undefined && { region: ofCountry }) };
  const isTaxed = treatment === 'domestic' || treatment === 'oss' || treatment === 'seller_country';
  const milliPercent = isTaxed ? rateIn(table, taxCase, place) : 0;
  if (milliPercent === undefined) return { treatment: 'not_registered', ...place, milliPercent: 0, isProved };
  return { treatment, ...place, milliPercent, isProved };
}

/** The same case with tax countries: a seller, a registration or a customer in Monaco is in France. */
export const inTerritories = ({ sellerCountry, registrations, evidence, ...others }: TaxCase): TaxCase => ({
  ...others,
  sellerCountry: taxCountryOf(sellerCountry),
  registrations: registrations.map((each) => ({ ...each, country: taxCountryOf(each.country) })),
  evidence: mapEvidence(evidence),
});

const mapEvidence = ({ billing, card, network, number, register }: Evidence): Evidence => ({
  billing: billing && taxCountryOf(billing),
  card: card && taxCountryOf(card),
  network: network && taxCountryOf(network),
  number: number && taxCountryOf(number),
  register: register && taxCountryOf(register),
});

/** `taxed`: the country that receives the tax. */
function treatmentOf(
  { sellerCountry, registrations }: TaxCase,
  { country, region, isBusiness }: { country: string; region: string | undefined; isBusiness: boolean },
): { treatment: Treatment; taxed: string } {
  const inPlace = schemeIn(registrations, country, region);
  if (inPlace === 'exempt') return { treatment: 'exempt', taxed: country };
  const isRegistered = inPlace === 'domestic';
  const isTaxedHere = isRegistered && countriesTaxedByRegistered.has(country);
  const isOuter = isOuterRegion(region);
  if (isBusiness && country !== sellerCountry && reverseChargeCountries.has(country) && !isTaxedHere && !isOuter)
    return { treatment: 'reverse_charge', taxed: country };
  if (isRegistered) return { treatment: 'domestic', taxed: country };
  // The business accounts for the tax of its region. The seller has no tax to declare, and needs no registration.
  if (isBusiness && isOuter) return { treatment: 'outside_scope', taxed: country };
  if (!unionCountries.has(country) || isOuter) return { treatment: 'not_registered', taxed: country };
  if (registrations.some(({ scheme }) => scheme === 'oss') && country !== sellerCountry)
    return { treatment: 'oss', taxed: country };
  if (!unionCountries.has(sellerCountry)) return { treatment: 'not_registered', taxed: country };
  // Below the threshold of the Union, sales to other member states are sales at home.
  if (schemeIn(registrations, sellerCountry) === 'exempt') return { treatment: 'exempt', taxed: sellerCountry };
  return registrations.some((each) => isHome(each, sellerCountry))
    ? { treatment: 'seller_country', taxed: sellerCountry }
    : { treatment: 'not_registered', taxed: country };
}

/**
 * A registration in a province with a tax of its own adds this tax to that of the country. The rate of a country does not apply
 * to a region outside of the Union's tax territory.
 */
function rateIn(
  table: RateTable,
  { registrations, kind, atMs }: Pick<TaxCase, 'registrations' | 'kind' | 'atMs'>,
  { country, region }: { country: string; region?: string | undefined },
): number | undefined {
  const ofRegion = table.filter((row) => row.region === region);
  if (isOuterRegion(region)) return findRate(ofRegion, { country, region, kind, atMs });
  if (region === undefined || !provincesWithTax.has(region)) return findRate(table, { country, region, kind, atMs });
  const isTaxedBy = (place: string | undefined) => schemeOf(registrations, country, place) === 'domestic';
  const both = isTaxedBy(region) ? findRate(ofRegion, { country, region, kind, atMs }) : undefined;
  return both ?? (isTaxedBy(undefined) ? findRate(table, { country, kind, atMs }) : undefined);
}

/** The places of a registration whose standard rate the table does not know. They would have no tax. */
export function placesWithoutRate(table: RateTable, registration: Registration, atMs: number): string[] {
  const { region, scheme } = registration;
  const country = taxCountryOf(registration.country);
  const taxCase = { registrations: [{ ...registration, country }], kind: 'standard', atMs } as const;
  if (scheme === 'oss')
    return [...unionCountries].filter((member) => rateIn(table, taxCase, { country: member }) === undefined);
  const hasRate = scheme !== 'domestic' || rateIn(table, taxCase, { country, region }) !== undefined;
  return hasRate ? [] : [region ?? registration.country];
}

const isHome = ({ scheme, country }: Registration, sellerCountry: string) =>
  scheme === 'domestic' && country === sellerCountry;

/**
 * How a seller is registered in a place. The registration of the region counts before that of the country, and an exemption
 * before tax. A region outside of the Union's tax territory counts alone.
 */
function schemeIn(registrations: readonly Registration[], country: string, region?: string) {
  const ofRegion = schemeOf(registrations, country, region);
  return isOuterRegion(region) ? ofRegion : (ofRegion ?? schemeOf(registrations, country));
}

/** How a seller is registered for exactly this region; without one, for the whole country. */
function schemeOf(registrations: readonly Registration[], country: string, region?: string) {
  const inPlace = registrations.filter((each) => each.country === country && each.region === region);
  return (['exempt', 'domestic'] as const).find((scheme) => inPlace.some((each) => each.scheme === scheme));
}

/** Prices include tax. The amount of a charge never changes, and its tax is a part of it. */
export const taxOf = (grossMinor: number, { milliPercent }: TaxDecision): TaxedAmount =>
  taxWithin(grossMinor, milliPercent);
