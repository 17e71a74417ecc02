import { type AddedTax, dueOf } from '../billing/tax/addedTax';
import { type TaxedAmount } from '../billing/tax/amounts';
import { taxOf, type TaxDecision } from '../billing/tax/decision';
import { type AnsweredTax, askAddedTax, type Customer, renewAddedTax } from './addedTaxes';
import { askProvider } from './calculators';
import { findQuotedCase, type QuotedPurchase, type TaxCaseRow } from './chargeTaxes.model';
import { hasFormWithTax } from './shownPrices';
import { decide, readCase } from './taxCases';

/** The tax of amounts that a customer is about to pay. */

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

/**
 * The tax of a price, as a purchase would have now. Undefined if the merchant has no tax. A price without tax has no total
 * while its provider does not answer: throws `service_unavailable`.
 */
export async function quotePriceTax(
  customer: Customer,
  { priceMinor, ...of }: QuotedPurchase & { priceMinor: number },
): Promise<(QuotedTax & { isAdded: boolean; isShownWithTax: boolean }) | undefined> {
  const row = await findQuotedCase(customer.merchantId, customer.accountId, of);
  if (!row) return undefined;
  const isAdded = !row.pricesIncludeTax;
  if (row.isProvided && !isAdded) {
    const tax = await quoteProvided(customer, row, { amountMinor: priceMinor, currency: of.currency });
    return tax && { isAdded, isShownWithTax: hasFormWithTax(row, { isAdded, ...tax }), ...tax };
  }
  const decision = row.isProvided ? await askAddedTax(customer, row, of.currency) : decide(row);
  const form = { isAdded, isShownWithTax: hasFormWithTax(row, { isAdded, ...decision }) };
  return { ...form, ...withinAmount(decision, dueOf(priceMinor, isAdded ? decision : null, of.currency)) };
}

const withinAmount = (decision: TaxDecision, amountMinor: number): QuotedTax => ({
  ...decision,
  ...taxOf(amountMinor, decision),
});

/** The tax within the next amount of a subscription. Undefined if the merchant has no tax. */
export async function quoteNextTax(
  row: Customer & { id: number; addedTax: AddedTax | null },
  of: QuotedPurchase & { amountMinor: number },
  at: Date,
  provided: AnsweredTax,
): Promise<QuotedTax | undefined> {
  const added = await renewAddedTax(row, at, undefined, provided);
  return added ? withinAmount(added, of.amountMinor) : quoteTax(row, of);
}
