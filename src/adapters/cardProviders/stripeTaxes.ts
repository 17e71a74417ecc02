import Stripe from 'stripe';
import { logger } from '../logger';
import { fromStripeAmount, toStripeAmount } from './stripeAmounts';
import { findMisconfiguration } from './stripeResults';
import { type CalculationResult, type RecordingResult, type TaxMaker, type TaxPart, type TaxRequest } from './taxes';

/** Stripe's codes of products: electronically supplied services, books and periodicals by subscription (docs.stripe.com/tax/tax-codes). */
const taxCodes = { standard: 'txcd_10000000', ebook: 'txcd_10302002', press: 'txcd_10303002' } as const;

/** The form of a tax number at Stripe. The member states of the European Union have `eu_vat`. */
const numberTypes: Readonly<Record<string, string>> = {
  AE: 'ae_trn',
  AU: 'au_abn',
  CA: 'ca_gst_hst',
  CH: 'ch_vat',
  GB: 'gb_vat',
  IS: 'is_vat',
  LI: 'li_vat',
  NO: 'no_vat',
  NZ: 'nz_gst',
  SA: 'sa_vat',
  SG: 'sg_uen',
  ZA: 'za_vat',
};

/** Stripe takes a tax date of 31 days before or after today. Without a date it takes today. */
const datedWithinMs = 30 * 86_400_000;
const quoteWithinMs = 3_000;
const lineName = 'sale';

/** Stripe Tax, for `client`'s account. `inBackground` records what was sold. */
export function createTaxes(client: Stripe, inBackground: Stripe): TaxMaker {
  return {
    calculate: (request) =>
      calculating(async () => {
        const options = request.isQuote === true ? { timeout: quoteWithinMs } : {};
        return calculationOf(await client.tax.calculations.create(calculationParams(request), options), request);
      }),

    record: ({ calculation, reference }) =>
      recording(() =>
        inBackground.tax.transactions.createFromCalculation(
          { calculation, reference, expand: ['line_items'] },
          { idempotencyKey: `tax:${reference}` },
        ),
      ),

    reverse: ({ transaction, line, reference, amountMinor, taxMinor, currency }) =>
      recording(() => {
        const amount = 0 - toStripeAmount(amountMinor, currency);
        const amount_tax = 0 - toStripeAmount(taxMinor, currency);
        const reversed = { original_line_item: line, reference: lineName, amount, amount_tax };
        return inBackground.tax.transactions.createReversal(
          {
            mode: 'partial',
            original_transaction: transaction,
            reference,
            line_items: [reversed],
            expand: ['line_items'],
          },
          { idempotencyKey: `tax:${reference}` },
        );
      }),
  };
}

function calculationParams({ amountMinor, isNet = false, currency, kind, address, taxNumber, at }: TaxRequest) {
  const { country, region, postalCode, city, line } = address;
  const isNear = Math.abs(at.getTime() - Date.now()) < datedWithinMs;
  return {
    currency: currency.toLowerCase(),
    line_items: [
      {
        amount: toStripeAmount(amountMinor, currency),
        reference: lineName,
        tax_behavior: isNet ? ('exclusive' as const) : ('inclusive' as const),
        tax_code: taxCodes[kind],
      },
    ],
    customer_details: {
      address: {
        country,
        ...(region !== undefined && { state: region.slice(country.length + 1) }),
        ...(postalCode !== undefined && { postal_code: postalCode }),
        ...(city !== undefined && { city }),
        ...(line !== undefined && { line1: line }),
      },
      address_source: 'billing' as const,
      ...(taxNumber !== undefined && { tax_ids: [{ type: numberTypes[country] ?? 'eu_vat', value: taxNumber }] }),
    },
    ...(isNear && { tax_date: Math.floor(at.getTime() / 1000) }),
  };
}

/** An answer that does not add up is a fault of the set-up: no charge is made with it. */
function calculationOf(answer: Stripe.Tax.Calculation, request: TaxRequest): CalculationResult {
  const { amountMinor, isNet = false, currency } = request;
  const parts = answer.tax_breakdown.map((part) => partOf(part, currency));
  const { tax_amount_inclusive: within, tax_amount_exclusive: added } = answer;
  const taxMinor = fromStripeAmount(isNet ? added : within, currency);
  const sumMinor = parts.reduce((sum, part) => sum + part.amountMinor, 0);
  const isWhole =
    answer.amount_total === toStripeAmount(amountMinor, currency) + added && (isNet ? within : added) === 0;
  if (answer.id === null || !isWhole || taxMinor !== sumMinor || taxMinor < 0 || taxMinor > amountMinor)
    return { outcome: 'misconfigured', fault: { code: 'tax_does_not_add_up', message: 'The tax does not add up.' } };
  return { outcome: 'calculated', calculation: answer.id, taxMinor, parts };
}

function partOf(part: Stripe.Tax.Calculation.TaxBreakdown, currency: string): TaxPart {
  const { country, state, percentage_decimal: percent } = part.tax_rate_details;
  return {
    ...(country !== null && { country }),
    ...(state !== null && { state }),
    milliPercent: Math.round(Number(percent) * 1000),
    amountMinor: fromStripeAmount(part.amount, currency),
    reason: part.taxability_reason,
  };
}

async function calculating(ask: () => Promise<CalculationResult>): Promise<CalculationResult> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    if (error.code === 'customer_tax_location_invalid') return { outcome: 'not_located' };
    const misconfigured = findMisconfiguration(error);
    if (misconfigured) return { outcome: 'misconfigured', fault: misconfigured.fault };
    logger.warn({ code: error.code, providerRequest: error.requestId }, 'Stripe Tax gave no answer');
    return { outcome: 'unavailable' };
  }
}

/** Stripe refuses a reference that was used, a calculation of more than 90 days ago, and more than is left of a sale. */
async function recording(ask: () => Promise<Stripe.Tax.Transaction>): Promise<RecordingResult> {
  try {
    const { id, line_items: lines } = await ask();
    return { outcome: 'recorded', transaction: id, line: lines?.data[0]?.id ?? '' };
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const fields = { code: error.code, providerRequest: error.requestId };
    logger.warn(fields, 'Stripe Tax did not record a sale or its reversal');
    const isRefused = error instanceof Stripe.errors.StripeInvalidRequestError;
    return isRefused ? { outcome: 'refused', message: error.message } : { outcome: 'unavailable' };
  }
}
