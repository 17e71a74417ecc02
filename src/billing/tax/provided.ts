import { type Registration, type TaxDecision, type Treatment } from './decision';
import { unionCountries } from './places';

/**
 * The tax that a card provider has calculated, as a decision like our own. The provider decides the amount; the treatment
 * follows from its reasons. Without I/O and Node modules. docs/tax.md explains it.
 */

/** The tax of one jurisdiction. */
export interface ProvidedPart {
  country?: string | undefined;
  /** Without the country, such as NY. */
  state?: string | undefined;
  milliPercent: number;
  amountMinor: number;
  /** The provider's word. */
  reason: string;
}

export interface ProvidedCase {
  sellerCountry: string;
  registrations: readonly Registration[];
  /** Where the customer is located. */
  country: string;
  region?: string | undefined;
  isProved: boolean;
}

const reasons: Readonly<Record<string, Treatment>> = {
  reverse_charge: 'reverse_charge',
  customer_exempt: 'exempt',
  not_collecting: 'not_registered',
  not_supported: 'not_registered',
};

/**
 * The rate is the sum of the rates of all jurisdictions that collect tax. It explains the amount, which is not computed
 * from it.
 */
export function decisionOf(parts: readonly ProvidedPart[], of: ProvidedCase): TaxDecision {
  const taxed = parts.filter(({ amountMinor }) => amountMinor > 0);
  const { country = of.country, state } = taxed[0] ?? {};
  const region = state !== undefined && divided.has(country) ? `${country}-${state}` : regionOf(of, country);
  return {
    treatment: taxed.length > 0 ? taxedBy(country, of) : untaxed(parts, of),
    country,
    ...(region !== undefined && { region }),
    milliPercent: taxed.reduce((sum, { milliPercent }) => sum + milliPercent, 0),
    isProved: of.isProved,
  };
}

/** Countries whose states or provinces have taxes of their own. */
const divided: ReadonlySet<string> = new Set(['US', 'CA']);

const regionOf = ({ region }: ProvidedCase, country: string) =>
  region?.startsWith(`${country}-`) === true ? region : undefined;

/** The provider does not tell a sale under the one stop shop from one under a registration in the country. */
function taxedBy(country: string, { sellerCountry, registrations, country: located }: ProvidedCase): Treatment {
  if (country === sellerCountry) return located === sellerCountry ? 'domestic' : 'seller_country';
  const isRegistered = registrations.some((each) => each.scheme === 'domestic' && each.country === country);
  return unionCountries.has(country) && !isRegistered ? 'oss' : 'domestic';
}

/** A sale that a jurisdiction taxes at zero is one at home or under the one stop shop. */
function untaxed(parts: readonly ProvidedPart[], of: ProvidedCase): Treatment {
  const named = parts.flatMap(({ reason }) => reasons[reason] ?? []);
  const found = (['reverse_charge', 'exempt'] as const).find((treatment) => named.includes(treatment));
  if (found) return found;
  return parts.length === 0 || named.length === parts.length ? 'not_registered' : taxedBy(of.country, of);
}
