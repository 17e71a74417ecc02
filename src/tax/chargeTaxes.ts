import { taxRates } from '../adapters/settings';
import { type Transaction } from '../adapters/postgres/connection';
import { taxOfRefund, type TaxedAmount } from '../billing/tax/amounts';
import { decideTax, taxOf, type TaxCase, type TaxDecision } from '../billing/tax/decision';
import { packaged, parseRates, type RateTable } from '../billing/tax/rates';
import {
  type DisputeDecision,
  findQuotedCase,
  findRefundedTax,
  findTaxCase,
  saveChargeTax,
  saveDisputeTax,
  saveRefundTax,
  sumDisputedTax,
  type TaxCaseRow,
} from './chargeTaxes.model';

/** The operator's table, or the packaged one. */
export const rates: RateTable = taxRates === undefined ? packaged : parseRates(taxRates);

/**
 * Decides the tax of a charge once, before the provider is asked. The amount includes the tax, so it does not change. A
 * merchant without a tax profile has none.
 */
export async function decideChargeTax(chargeId: number): Promise<void> {
  const row = await findTaxCase(chargeId);
  if (!row) return;
  const taxCase = readCase(row);
  const decision = decideTax(rates, taxCase);
  const { kind, evidence } = taxCase;
  await saveChargeTax(chargeId, row.merchantId, { ...taxOf(row.amountMinor, decision), ...decision, kind, evidence });
}

function readCase({ registrations, billing, card, network, region, at, ...row }: TaxCaseRow): TaxCase {
  return {
    sellerCountry: row.sellerCountry,
    registrations: registrations.map(({ region: place, ...each }) => ({ ...each, region: place ?? undefined })),
    evidence: {
      ...(billing !== null && { billing }),
      ...(card !== null && { card }),
      ...(network !== null && { network }),
    },
    region: region ?? undefined,
    isBusiness: row.isBusiness,
    kind: row.kind,
    atMs: at.getTime(),
  };
}

/**
 * Stores and returns the refund's share of the tax of its charge; null if none was decided. Runs in the transaction that
 * locks the charge.
 */
export async function returnTax(
  refund: { id: number; merchantId: number; chargeId: number; amountMinor: number },
  inTransaction: Transaction,
): Promise<number | null> {
  const charged = await findRefundedTax(refund.chargeId, inTransaction);
  if (!charged) return null;
  const tax = taxOfRefund(charged, charged.earlierMinor, refund.amountMinor);
  await saveRefundTax(refund, tax, inTransaction);
  return tax.taxMinor;
}

/**
 * Corrects the tax of a disputed charge: with a lost dispute its share is not owed any more, and with one that is won after
 * all it is owed again. Returns the id of the correction; undefined if nothing changes. The caller has locked the purchase.
 */
export async function correctDisputedTax(
  dispute: DisputeDecision,
  inTransaction: Transaction,
): Promise<number | undefined> {
  const charged = await findRefundedTax(dispute.chargeId, inTransaction);
  const corrected = await sumDisputedTax(dispute.id, inTransaction);
  if (!charged || dispute.isLost === corrected.grossMinor > 0) return undefined;
  if (!dispute.isLost) return saveDisputeTax(dispute, negative(corrected), inTransaction);
  // A refund and a dispute of one charge together return no more than its tax.
  const amountMinor = Math.min(dispute.amountMinor, charged.grossMinor - charged.earlierMinor);
  if (amountMinor <= 0) return undefined;
  return saveDisputeTax(dispute, taxOfRefund(charged, charged.earlierMinor, amountMinor), inTransaction);
}

const negative = ({ netMinor, taxMinor, grossMinor }: TaxedAmount): TaxedAmount => ({
  netMinor: 0 - netMinor,
  taxMinor: 0 - taxMinor,
  grossMinor: 0 - grossMinor,
});

/** The tax within an amount that a customer is about to pay. */
export interface QuotedTax extends TaxDecision {
  netMinor: number;
  taxMinor: number;
}

/** Undefined if the merchant has no tax. */
export async function quoteTax(
  { merchantId, accountId }: { merchantId: number; accountId: number },
  of: { itemId: number; currency: string; amountMinor: number; network: string | undefined },
): Promise<QuotedTax | undefined> {
  const row = await findQuotedCase(merchantId, accountId, of);
  if (!row) return undefined;
  const decision = decideTax(rates, readCase(row));
  return { ...decision, ...taxOf(of.amountMinor, decision) };
}
