import { countryOf } from '../adapters/geoip';
import { taxRates } from '../adapters/settings';
import { type MisconfiguredOutcome } from '../adapters/cardProviders/provider';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { type AddedTax, dueOf } from '../billing/tax/addedTax';
import { taxOfRefund, type TaxedAmount } from '../billing/tax/amounts';
import { decideTax, taxOf, type TaxCase, type TaxDecision } from '../billing/tax/decision';
import { countryOfTaxNumber } from '../billing/tax/numbers';
import { type Evidence, placeOf } from '../billing/tax/places';
import { packaged, parseRates, type RateTable } from '../billing/tax/rates';
import { askProvider, type ProvidedTax } from './calculators';
import {
  type ChargeCaseRow,
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
import { openReversal, saveCalculation } from './recordings.model';

/** The operator's table, or the packaged one. */
export const rates: RateTable = taxRates === undefined ? packaged : parseRates(taxRates);

/** Why a charge cannot be sent yet: its tax is not known. */
export type UndecidedTax = { outcome: 'not_sent' } | MisconfiguredOutcome;

/**
 * Decides the tax of a charge once, before the provider is asked. The amount is fixed and includes the tax. A merchant
 * without a tax profile has none. If the provider calculates the tax and gives none, the charge has to wait.
 */
export async function decideChargeTax(chargeId: number): Promise<UndecidedTax | undefined> {
  const row = await findTaxCase(chargeId);
  if (!row) return undefined;
  if (!row.isProvided || row.settled !== null) return saveOwnTax(chargeId, row);
  const taxCase = readCase(row);
  const answer = await askProvider(row, row, taxCase);
  if (answer.outcome === 'unavailable') return { outcome: 'not_sent' };
  if (answer.outcome === 'misconfigured') return { ...answer, isKept: false };
  await saveProvidedTax(chargeId, row, answer);
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
  row: ChargeCaseRow,
  answer: Extract<ProvidedTax, { outcome: 'calculated' | 'not_located' }>,
): Promise<void> {
  const { merchantId, amountMinor: grossMinor, kind } = row;
  const evidence = readEvidence(row);
  const of = { chargeId, merchantId };
  if (answer.outcome === 'not_located') {
    const { country, isProved } = placeOf(evidence) ?? { country: row.sellerCountry, isProved: false };
    const decision = { treatment: 'not_registered', country, milliPercent: 0, isProved };
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

/** The tax within an amount that a customer is about to pay. */
export type QuotedTax = TaxDecision & TaxedAmount;

/** The tax within an amount. Undefined if the merchant has no tax. */
async function quoteTax(
  customer: Customer,
  { amountMinor, ...of }: QuotedPurchase & { amountMinor: number },
): Promise<QuotedTax | undefined> {
  const row = await findQuotedCase(customer.merchantId, customer.accountId, of);
  if (row?.isProvided) return quoteProvided(customer, row, { amountMinor, currency: of.currency });
  return row && withinAmount(decide(row), amountMinor);
}

/** Undefined without an answer: the total is the same, and a page shows no tax that may be wrong. */
async function quoteProvided(
  { merchantId }: Customer,
  row: TaxCaseRow,
  of: { amountMinor: number; currency: string },
): Promise<QuotedTax | undefined> {
  const answer = await askProvider({ merchantId, ...of, isQuote: true }, row, readCase(row));
  if (answer.outcome !== 'calculated') return undefined;
  const { decision, taxMinor } = answer;
  return { ...decision, netMinor: of.amountMinor - taxMinor, taxMinor, grossMinor: of.amountMinor };
}

/** The tax of a price, as a purchase would have now. Undefined if the merchant has no tax. */
export async function quotePriceTax(
  customer: Customer,
  { priceMinor, ...of }: QuotedPurchase & { priceMinor: number },
): Promise<(QuotedTax & { isAdded: boolean }) | undefined> {
  const row = await findQuotedCase(customer.merchantId, customer.accountId, of);
  if (!row) return undefined;
  if (row.isProvided) {
    const tax = await quoteProvided(customer, row, { amountMinor: priceMinor, currency: of.currency });
    return tax && { isAdded: false, ...tax };
  }
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
