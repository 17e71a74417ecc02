import { z } from 'zod';
import { taxBehavior } from '../items/accessFees/accessFees.schemas';
import { formId, formNumber } from '../kit/form';

/**
 * `amount`: what is charged, after vouchers and the balance. If the tax is added to prices, the price after vouchers.
 * Without it, the price of the fee with its setup fee.
 */
export const TaxQuoteQuery = z.object({ amount: formNumber().pipe(z.number().min(0)).optional() });
export const TaxQuotePath = z.object({ access_fee_id: formId() });

/** The tax within an amount, in the major unit. Without tax, the net amount is the whole and the country is empty. */
export const TaxPart = z.object({
  net_amount: z.number(),
  tax_amount: z.number(),
  /** Percent. */
  tax_rate: z.number(),
  tax_country: z.string(),
});

/** `has_tax` is false for a merchant that has not named the seller. `amount` includes the tax. */
export const TaxQuote = TaxPart.extend({
  has_tax: z.boolean(),
  amount: z.number(),
  currency: z.string(),
  treatment: z.enum([
    '',
    'domestic',
    'oss',
    'seller_country',
    'reverse_charge',
    'outside_scope',
    'not_registered',
    'exempt',
  ]),
  shown_with_tax: z.boolean().meta({
    description:
      'False: the price is shown without tax, so show the net amount, the tax and the total. A tax of 0 needs no line',
  }),
  tax_behavior: taxBehavior(),
});
