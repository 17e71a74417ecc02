import { type MisconfiguredOutcome } from '../adapters/cardProviders/provider';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { taxOfRefund, type TaxedAmount } from '../billing/tax/amounts';
import { taxOf } from '../billing/tax/decision';
import { type Evidence } from '../billing/tax/places';
import { askProvider, notLocated, type ProvidedTax } from './calculators';
import {
  type ChargeCaseRow,
  type DisputeDecision,
  findRefundedTax,
  findTaxCase,
  saveChargeTax,
  saveDisputeTax,
  saveRefundTax,
  sumDisputedTax,
} from './chargeTaxes.model';
import { openReversal, saveCalculation } from './recordings.model';
import { decide, readCase } from './taxCases';

/** Why a charge cannot be sent yet: its tax is not known. */
export type UndecidedTax = { outcome: 'not_sent' } | MisconfiguredOutcome;

/**
 * Decides the tax of a charge once, before the provider is asked. The amount is fixed and includes the tax. A merchant
 * without a tax profile has none. If the provider calculates the tax and gives none, the charge has to wait. The evidence of
 * a price without tax is that with which its total was fixed.
 */
export async function decideChargeTax(chargeId: number): Promise<UndecidedTax | undefined> {
  const row = await findTaxCase(chargeId);
  if (!row) return undefined;
  if (!row.isProvided) return saveOwnTax(chargeId, row);
  const taxCase = readCase(row);
  const evidence = row.settled?.evidence ?? taxCase.evidence;
  const answer = await askProvider(row, row, { ...taxCase, evidence });
  if (answer.outcome === 'unavailable') return { outcome: 'not_sent' };
  if (answer.outcome === 'misconfigured') return { ...answer, isKept: false };
  // The total has a tax already, which the customer has paid. It is owed although the address is not known any more.
  if (answer.outcome === 'not_located' && row.settled !== null) return saveOwnTax(chargeId, row);
  await saveProvidedTax(chargeId, { ...row, evidence }, answer);
  return undefined;
}

/** A charge that the reconciliation recorded has the tax of the day of its payment, always by our table of rates. */
export async function decideRecordedTax(chargeId: number, inTransaction: Transaction): Promise<void> {
  const row = await findTaxCase(chargeId, inTransaction);
  if (row) await saveOwnTax(chargeId, row, inTransaction);
}

async function saveOwnTax(chargeId: number, row: ChargeCaseRow, inTransaction?: Transaction): Promise<undefined> {
  const decision = row.settled ?? decide(row);
  const { merchantId } = row;
  await saveChargeTax({ chargeId, merchantId }, { ...decision, ...taxOf(row.amountMinor, decision) }, inTransaction);
}

/** A customer whom the provider does not locate has no tax, and the settings list the sale as missing. */
async function saveProvidedTax(
  chargeId: number,
  row: ChargeCaseRow & { evidence: Evidence },
  answer: Extract<ProvidedTax, { outcome: 'calculated' | 'not_located' }>,
): Promise<void> {
  const { merchantId, amountMinor: grossMinor, kind, evidence } = row;
  const of = { chargeId, merchantId };
  if (answer.outcome === 'not_located') {
    const decision = notLocated(row, evidence);
    await saveChargeTax(of, { ...decision, kind, evidence, netMinor: grossMinor, taxMinor: 0, grossMinor });
    return;
  }
  const { taxMinor, decision, provider, calculation } = answer;
  const tax = { ...decision, kind, evidence, netMinor: grossMinor - taxMinor, taxMinor, grossMinor };
  await transaction(async (inTransaction) => {
    if (await saveChargeTax(of, tax, inTransaction))
      await saveCalculation({ ...of, provider, calculation }, inTransaction);
  });
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
  await openReversal({ chargeId: refund.chargeId, refundId: refund.id }, tax, inTransaction);
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
  if (!dispute.isLost) return correctBy(dispute, negative(corrected), inTransaction);
  // A refund and a dispute of one charge together return no more than its tax.
  const amountMinor = Math.min(dispute.amountMinor, charged.grossMinor - charged.earlierMinor);
  if (amountMinor <= 0) return undefined;
  return correctBy(dispute, taxOfRefund(charged, charged.earlierMinor, amountMinor), inTransaction);
}

async function correctBy(dispute: DisputeDecision, tax: TaxedAmount, inTransaction: Transaction): Promise<number> {
  const id = await saveDisputeTax(dispute, tax, inTransaction);
  await openReversal({ chargeId: dispute.chargeId, disputeTaxId: id }, tax, inTransaction);
  return id;
}

const negative = ({ netMinor, taxMinor, grossMinor }: TaxedAmount): TaxedAmount => ({
  netMinor: 0 - netMinor,
  taxMinor: 0 - taxMinor,
  grossMinor: 0 - grossMinor,
});
