import { taxRates } from '../adapters/settings';
import { type AddedTax } from '../billing/tax/addedTax';
import { decideTax, type TaxCase } from '../billing/tax/decision';
import { countryOfTaxNumber } from '../billing/tax/numbers';
import { type Evidence } from '../billing/tax/places';
import { packaged, parseRates, type RateTable } from '../billing/tax/rates';
import { type TaxCaseRow } from './chargeTaxes.model';

/** What decides a tax, as the rules of `src/billing/tax` take it. */

/** The operator's table, or the packaged one. */
export const rates: RateTable = taxRates === undefined ? packaged : parseRates(taxRates);

/** The decision of our table of rates. */
export function decide(row: TaxCaseRow): AddedTax {
  const taxCase = readCase(row);
  const { kind, evidence } = taxCase;
  return { ...decideTax(rates, taxCase), kind, evidence };
}

export function readCase({ registrations, region, at, sellerCountry, kind, ...row }: TaxCaseRow): TaxCase {
  return {
    sellerCountry,
    registrations: registrations.map(({ region: place, ...each }) => ({ ...each, region: place ?? undefined })),
    evidence: readEvidence(row),
    region: region ?? undefined,
    kind,
    atMs: at.getTime(),
  };
}

type EvidenceRow = Pick<TaxCaseRow, 'billing' | 'card' | 'network' | 'taxNumber' | 'confirmedAt' | 'confirmation'>;

function readEvidence({ billing, card, network, taxNumber, ...proof }: EvidenceRow): Evidence {
  const number = countryOfTaxNumber(taxNumber ?? '');
  return {
    ...(billing !== null && { billing }),
    ...(card !== null && { card }),
    ...(network !== null && { network }),
    ...(number !== undefined && { number, ...readProof(number, proof) }),
  };
}

/** The proof of the look-up. Each sale keeps its own, because a later look-up replaces that of the customer. */
function readProof(number: string, { confirmedAt, confirmation }: Pick<EvidenceRow, 'confirmedAt' | 'confirmation'>) {
  if (confirmedAt === null) return {};
  const proof = { register: number, confirmedAt: confirmedAt.toISOString() };
  return confirmation ? { ...proof, consultation: confirmation } : proof;
}
