import { type CalculationResult, type TaxMaker } from '../adapters/cardProviders/taxes';
import { decisionOf } from '../billing/tax/provided';
import { establishmentOf, type Evidence, placeOf } from '../billing/tax/places';
import { inTerritories, type TaxCase, type TaxDecision } from '../billing/tax/decision';
import { type TaxCaseRow } from './chargeTaxes.model';

/** The tax that the merchant's account at the card provider calculates (Stripe Tax), instead of our table of rates. */

/** The account that calculates the tax of a merchant. */
export interface TaxAccount {
  /** As in `cards.provider`. */
  name: string;
  taxes: TaxMaker;
}

/** Undefined if the account of the merchant calculates no tax, or if merchants share it. */
export type FindTaxAccount = (merchantId: number) => Promise<TaxAccount | undefined>;

let find: FindTaxAccount = () => Promise.resolve(undefined);

/** Registers the function that finds the account of a merchant: accounts belong to a room above this one. */
export function onTaxAccountWanted(finding: FindTaxAccount): void {
  find = finding;
}

export const findTaxAccount: FindTaxAccount = (merchantId) => find(merchantId);

interface Calculated {
  outcome: 'calculated';
  provider: string;
  calculation: string;
  taxMinor: number;
  decision: TaxDecision;
}

export type ProvidedTax = Calculated | Exclude<CalculationResult, { outcome: 'calculated' }>;

export interface ProvidedQuestion {
  merchantId: number;
  amountMinor: number;
  /** The amount is without tax. */
  isNet?: boolean;
  currency: string;
  isQuote?: boolean;
}

/**
 * Asks for the tax within an amount. Our evidence decides the country of the customer, and the provider everything else. A
 * customer without any evidence is in the country of the seller.
 */
export async function askProvider(
  { merchantId, amountMinor, isNet = false, currency, isQuote = false }: ProvidedQuestion,
  row: TaxCaseRow,
  taxCase: TaxCase,
): Promise<ProvidedTax> {
  const account = await findTaxAccount(merchantId);
  if (!account) return noAccount;
  // Stripe Tax knows neither Monaco nor the Isle of Man.
  const { sellerCountry, registrations, evidence, kind, region } = inTerritories(taxCase);
  const business = establishmentOf(evidence, region);
  const { country, isProved } = business ?? placeOf(evidence) ?? { country: sellerCountry, isProved: false };
  const taxNumber = business && row.taxNumber !== null ? { taxNumber: row.taxNumber } : {};
  const about = { amountMinor, isNet, currency, isQuote };
  const request = { ...about, kind, address: addressOf(row, country), ...taxNumber, at: row.at };
  const answer = await account.taxes.calculate(request);
  if (answer.outcome !== 'calculated') return answer;
  const { calculation, taxMinor, parts } = answer;
  const decision = decisionOf(parts, { sellerCountry, registrations, country, region, isProved });
  return { outcome: 'calculated', provider: account.name, calculation, taxMinor, decision };
}

/** The decision for a customer whom the provider does not locate. The settings list the sale as missing. */
export function notLocated({ sellerCountry }: Pick<TaxCase, 'sellerCountry'>, evidence: Evidence): TaxDecision {
  const { country, isProved } = placeOf(evidence) ?? { country: sellerCountry, isProved: false };
  return { treatment: 'not_registered', country, milliPercent: 0, isProved };
}

const noAccount: ProvidedTax = {
  outcome: 'misconfigured',
  fault: { code: 'no_tax_account', message: 'The payment account of this shop calculates no tax.' },
};

/** The parts of a billing address count only in the country where the customer is. */
function addressOf({ billing, region, postalCode, city, addressLine }: TaxCaseRow, country: string) {
  if (billing !== country) return { country };
  return {
    country,
    ...(region !== null && { region }),
    ...(postalCode && { postalCode }),
    ...(city && { city }),
    ...(addressLine && { line: addressLine }),
  };
}
