import { countryOf } from '../adapters/geoip';
import { taxRates } from '../adapters/settings';
import { type Transaction } from '../adapters/postgres/connection';
import { type AddedTax, dueOf } from '../billing/tax/addedTax';
import { taxOfRefund, type TaxedAmount } from '../billing/tax/amounts';
import { decideTax, taxOf, type TaxCase, type TaxDecision } from '../billing/tax/decision';
import { countryOfTaxNumber } from '../billing/tax/numbers';
import { type Evidence } from '../billing/tax/places';
import { packaged, parseRates, type RateTable } from '../billing/tax/rates';
import {
  type DisputeDecision,
  findQuotedCase,
  findRefundedTax,
  findRenewedCase,
  findTaxCase,
  type QuotedPurchase,
  saveChargeTax,
  saveDisputeTax,
  saveRefundTax,
  sumDisputedTax,
  type TaxCaseRow,
} from './chargeTaxes.model';

/** The operator's table, or the packaged one. */
export const rates: RateTable = taxRates === undefined ? packaged : parseRates(taxRates);

/**
 * Decides the tax of a charge once, before the provider is asked. The amount is fixed and includes the tax. A merchant
 * without a tax profile has none. A charge that the reconciliation recorded has the tax of the day of its payment.
 */
export async function decideChargeTax(chargeId: number, inTransaction?: Transaction): Promise<void> {
  const row = await findTaxCase(chargeId, inTransaction);
  if (!row) return;
  const decision = row.settled ?? decide(row);
  const { merchantId } = row;
  await saveChargeTax({ chargeId, merchantId }, { ...decision, ...taxOf(row.amountMinor, decision) }, inTransaction);
}

function decide(row: TaxCaseRow): AddedTax {
  const taxCase = readCase(row);
  const { kind, evidence } = taxCase;
  return { ...decideTax(rates, taxCase), kind, evidence };
}

function readCase({ registrations, region, at, sellerCountry, kind, ...row }: TaxCaseRow): TaxCase {
  return {
    sellerCountry,
    registrations: registrations.map(({ region: place, ...each }) => ({ ...each, region: place ?? undefined })),
    evidence: readEvidence(row),
    region: region ?? undefined,
    kind,
    atMs: at.getTime(),
  };
}

type EvidenceRow = Pick<TaxCaseRow, 'billing' | 'card' | 'network' | 'taxNumber' | 'isConfirmed'>;

function readEvidence({ billing, card, network, taxNumber, isConfirmed }: EvidenceRow): Evidence {
  const number = countryOfTaxNumber(taxNumber ?? '');
  return {
    ...(billing !== null && { billing }),
    ...(card !== null && { card }),
    ...(network !== null && { network }),
    ...(number !== undefined && { number, ...(isConfirmed && { register: number }) }),
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
export type QuotedTax = TaxDecision & TaxedAmount;

/** The tax within an amount. Undefined if the merchant has no tax. */
async function quoteTax(
  customer: Customer,
  { amountMinor, ...of }: QuotedPurchase & { amountMinor: number },
): Promise<QuotedTax | undefined> {
  const row = await findQuotedCase(customer.merchantId, customer.accountId, of);
  return row && withinAmount(decide(row), amountMinor);
}

/** The tax of a price, as a purchase would have now. Undefined if the merchant has no tax. */
export async function quotePriceTax(
  customer: Customer,
  { priceMinor, ...of }: QuotedPurchase & { priceMinor: number },
): Promise<(QuotedTax & { isAdded: boolean }) | undefined> {
  const row = await findQuotedCase(customer.merchantId, customer.accountId, of);
  if (!row) return undefined;
  const decision = decide(row);
  const isAdded = !row.pricesIncludeTax;
  return { isAdded, ...withinAmount(decision, dueOf(priceMinor, isAdded ? decision : null, of.currency)) };
}

const withinAmount = (decision: TaxDecision, amountMinor: number): QuotedTax => ({
  ...decision,
  ...taxOf(amountMinor, decision),
});

interface Customer {
  merchantId: number;
  accountId: number;
}

/** The tax that is added to the price of a new purchase. Null if the merchant's prices include tax. */
export async function decideAddedTax(
  buyer: Customer & { clientAddress: string },
  { itemId, currency, addsTax }: { itemId: number; currency: string; addsTax: boolean },
  inTransaction?: Transaction,
): Promise<AddedTax | null> {
  if (!addsTax) return null;
  const of = { itemId, currency, network: countryOf(buyer.clientAddress) };
  const row = await findQuotedCase(buyer.merchantId, buyer.accountId, of, inTransaction);
  return row && !row.pricesIncludeTax ? decide(row) : null;
}

/** The tax that is added to the next price of a subscription. A subscription keeps what it was bought with. */
export async function renewAddedTax(
  { id, addedTax }: { id: number; addedTax: AddedTax | null },
  at: Date,
  inTransaction?: Transaction,
): Promise<AddedTax | null> {
  const row = addedTax === null ? undefined : await findRenewedCase(id, at, inTransaction);
  return row ? decide(row) : addedTax;
}

/** The tax within the next amount of a subscription. Undefined if the merchant has no tax. */
export async function quoteNextTax(
  row: Customer & { id: number; addedTax: AddedTax | null },
  of: QuotedPurchase & { amountMinor: number },
  at: Date,
): Promise<QuotedTax | undefined> {
  const added = await renewAddedTax(row, at);
  return added ? withinAmount(added, of.amountMinor) : quoteTax(row, of);
}
