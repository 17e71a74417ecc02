/** The country of a customer, for tax. Without I/O and Node modules. */

/** The member states of the European Union. Greece is GR here, and EL in tax numbers. */
export const unionCountries: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

/** Countries in which a business customer pays the tax of a service from a foreign seller. */
export const reverseChargeCountries: ReadonlySet<string> = new Set([
  ...unionCountries,
  ...'AE AU CA CH GB IS LI NO NZ SA SG ZA'.split(' '),
]);

/**
 * Countries whose reverse charge is for sellers without a registration there. A registered foreign seller charges the tax to
 * businesses too.
 */
export const countriesTaxedByRegistered: ReadonlySet<string> = new Set(['CH', 'LI', 'ZA']);

/** Regions of member states outside of the Union's tax territory (Directive 2006/112/EC, article 6). */
const outerRegions: ReadonlySet<string> = new Set(['ES-CE', 'ES-GC', 'ES-ML', 'ES-TF']);

/** Whether a region has a tax of its own, so that a registration of its country does not cover it. */
export const isOuterRegion = (region: string | undefined): boolean => region !== undefined && outerRegions.has(region);

/** The first digits of postal codes in these regions. */
const outerPostalCodes: ReadonlyMap<string, string> = new Map([
  ['35', 'ES-GC'],
  ['38', 'ES-TF'],
  ['51', 'ES-CE'],
  ['52', 'ES-ML'],
]);

/** The region of an address. In Spain the postal code says whether it is outside of the Union's tax territory. */
export function regionOfAddress(country: string, postalCode: string, region: string | undefined): string | undefined {
  if (country !== 'ES' || !/^\d{5}$/.test(postalCode)) return region;
  return outerPostalCodes.get(postalCode.slice(0, 2)) ?? (isOuterRegion(region) ? undefined : region);
}

/**
 * Provinces of Canada with a tax of their own beside that of the country. It needs a registration of its own, and the rate
 * of the province in the table is that of both taxes.
 */
export const provincesWithTax: ReadonlySet<string> = new Set(['CA-BC', 'CA-MB', 'CA-QC', 'CA-SK']);

/** Places whose value added tax is that of another country: Monaco (Directive 2006/112/EC, article 7) and the Isle of Man. */
const territories: ReadonlyMap<string, string> = new Map([
  ['MC', 'FR'],
  ['IM', 'GB'],
]);

/** The country to whose tax territory a country belongs. */
export const taxCountryOf = (country: string): string => territories.get(country) ?? country;

/** Whether value added tax of the European Union applies in a country. */
export const isInUnion = (country: string): boolean => unionCountries.has(taxCountryOf(country));

/** Whether tax numbers of a place are in the register of the European Union (VIES). */
export const hasTaxRegister = (country: string, region: string | undefined): boolean =>
  isInUnion(country) && !isOuterRegion(region);

/** The pieces of evidence. Each names a country, or is absent. */
export interface Evidence {
  /** The country of the billing address. */
  billing?: string | undefined;
  /** The country of the bank that issued the card. */
  card?: string | undefined;
  /** The country of the network address. */
  network?: string | undefined;
  /** The country of a tax number with a valid form. */
  number?: string | undefined;
  /** The country whose register has confirmed the tax number. */
  register?: string | undefined;
  /** The proof of the look-up: when the register confirmed the number (ISO 8601), and its consultation number. */
  confirmedAt?: string | undefined;
  consultation?: string | undefined;
}

export interface Place {
  country: string;
  /** Two pieces agree. */
  isProved: boolean;
}

/**
 * The country in which a business is established: that of its tax number and of its billing address. Undefined for a
 * consumer. A number counts only with an address in its country. A number of a place outside the Union, which no register
 * confirms, does not count if card and network address name another country. docs/tax.md names the rules of the law.
 */
export function establishmentOf(evidence: Evidence, region?: string): Place | undefined {
  const { billing, card, network, number, register } = evidence;
  if (number === undefined || number !== billing) return undefined;
  if (!hasTaxRegister(number, region) && placeOf(evidence)?.country !== number) return undefined;
  return { country: number, isProved: [card, network, register].includes(number) };
}

/**
 * The country of a consumer, on which two pieces of evidence agree. If no two agree, the billing address counts before
 * the card, and the card before the network address. Undefined without any evidence.
 */
export function placeOf({ billing, card, network }: Evidence): Place | undefined {
  const pieces = [billing, card, network].filter((piece) => piece !== undefined);
  const agreed = pieces.find((piece, index) => pieces.indexOf(piece) !== index);
  const country = agreed ?? pieces[0];
  return country === undefined ? undefined : { country, isProved: agreed !== undefined };
}

/** Countries whose sellers number corrections in a series of their own: Spain (Royal Decree 1619/2012, article 6). */
const separateCorrections: ReadonlySet<string> = new Set(['ES']);

export const hasSeparateCorrections = (sellerCountry: string): boolean => separateCorrections.has(sellerCountry);
