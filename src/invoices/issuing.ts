import { type Transaction } from '../adapters/postgres/connection';
import { linesOfCharge, reductionOfAmount, type PriceLine } from '../billing/invoiceLines';
import { type TaxedAmount } from '../billing/tax/amounts';
import { hasSeparateCorrections } from '../billing/tax/places';
import { splitTax } from '../billing/tax/split';
import { unixSeconds } from '../kit/time';
import { isTestEnvironment } from '../platform';
import {
  type ChargedRow,
  type Correction,
  findCharged,
  findCorrected,
  type InvoiceLine,
  type NewInvoice,
} from './facts.model';
import { insertInvoice } from './invoices.model';

/** Invoices are issued in the transaction that settles the money, so that no number is lost and none is missing. */

/** Issues the invoice of a charge that was paid or recorded just now. A merchant without a tax profile has no invoices. */
export async function issueInvoice(chargeId: number, inTransaction: Transaction): Promise<void> {
  const row = await findCharged(chargeId, inTransaction);
  if (!row) return;
  const about = { kind: 'invoice', refundId: null, disputeTaxId: null, correctsId: null } as const;
  await issue({ ...row, ...about, lines: linesOf(row) }, inTransaction);
}

/** A correction follows the country of the seller on its invoice, also after the seller has moved. */
function issue(invoice: NewInvoice, inTransaction: Transaction): Promise<void> {
  const isApart = invoice.kind !== 'invoice' && hasSeparateCorrections(invoice.seller.country);
  return insertInvoice(invoice, { isTest: isTestEnvironment, series: isApart ? 'C' : '' }, inTransaction);
}

function linesOf(row: ChargedRow): InvoiceLine[] {
  const { reduction, isOffer } = reductionOfAmount(row);
  const lines = linesOfCharge({ ...row, reduction });
  const taxed = taxOfLines(row, lines);
  return lines.map(({ kind, grossMinor }, index) => ({
    kind,
    ...(isOffer && kind === 'discount' ? { text: '', detail: '' } : textOf(kind, row)),
    ...(kind === 'item' ? periodOf(row) : { starts_at: null, ends_at: null }),
    net_minor: taxed[index]?.netMinor ?? 0,
    tax_minor: taxed[index]?.taxMinor ?? 0,
    gross_minor: grossMinor,
  }));
}

/**
 * The lines of a price without tax have their tax. What the balance paid, or owes, has the rest of the charge's tax. A
 * provider rounds the tax of each jurisdiction, so it can differ by a cent from the rate; the lines then share it.
 */
function taxOfLines(row: ChargedRow, lines: readonly PriceLine[]): TaxedAmount[] {
  const restMinor = lines.reduce((rest, { taxMinor = 0 }) => rest - taxMinor, row.taxMinor);
  if (row.addedTax === null || (row.balanceMinor === 0 && restMinor !== 0)) {
    const amounts = lines.map(({ grossMinor }) => grossMinor);
    return splitTax(row, amounts);
  }
  return lines.map(({ grossMinor, taxMinor = restMinor }) => ({
    netMinor: grossMinor - taxMinor,
    taxMinor,
    grossMinor,
  }));
}

/** Words of the merchant. Documents add the words of the reader's language. */
function textOf(kind: PriceLine['kind'], row: ChargedRow): Pick<InvoiceLine, 'text' | 'detail'> {
  if (kind === 'item') return { text: row.itemTitle, detail: row.description };
  if (kind === 'discount') return { text: row.voucherCode, detail: '' };
  return { text: kind === 'setup_fee' ? (row.setupFeeDescription ?? '') : '', detail: '' };
}

const periodOf = ({ periodStart, periodEnd }: ChargedRow): Pick<InvoiceLine, 'starts_at' | 'ends_at'> => ({
  starts_at: periodStart && unixSeconds(periodStart),
  ends_at: periodEnd && unixSeconds(periodEnd),
});

/** Issues the credit note of a refund. It comes late in its transaction, because it locks the sequence. */
export const issueCreditNote = (refundId: number, at: Date, inTransaction: Transaction) =>
  correct('credit_note', refundId, at, inTransaction);

/** A refund failed after its success: cancels its credit note. */
export const cancelCreditNote = (refundId: number, at: Date, inTransaction: Transaction) =>
  correct('cancellation', refundId, at, inTransaction);

/** Issues the credit note of a chargeback that is lost, or cancels it for one that is won after all. */
export const correctDisputedInvoice = (
  { id, isLost, at }: { id: number; isLost: boolean; at: Date },
  inTransaction: Transaction,
) => correct(isLost ? 'lost_dispute' : 'won_dispute', id, at, inTransaction);

const documents = {
  credit_note: { kind: 'credit_note', line: 'refund' },
  cancellation: { kind: 'cancellation', line: 'cancellation' },
  lost_dispute: { kind: 'credit_note', line: 'chargeback' },
  won_dispute: { kind: 'cancellation', line: 'cancellation' },
} as const;

async function correct(correction: Correction, id: number, at: Date, inTransaction: Transaction): Promise<void> {
  const row = await findCorrected(correction, id, at, inTransaction);
  if (!row) return;
  const { kind, line: lineKind } = documents[correction];
  const isRefund = correction === 'credit_note' || correction === 'cancellation';
  const about = isRefund ? { refundId: id, disputeTaxId: null } : { refundId: null, disputeTaxId: id };
  const { netMinor, taxMinor, grossMinor } = row;
  const line: InvoiceLine = {
    kind: lineKind,
    text: row.itemTitle,
    detail: row.number,
    starts_at: null,
    ends_at: null,
    net_minor: netMinor,
    tax_minor: taxMinor,
    gross_minor: grossMinor,
  };
  await issue({ ...row, ...about, kind, correctsId: row.id, lines: [line] }, inTransaction);
}
