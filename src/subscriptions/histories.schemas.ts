import { z } from 'zod';
import { formDate, formId, formNumber, formText } from '../kit/form';
import { cursorPageOf, CursorQuery, pageOf } from '../kit/page';
import { sortFields } from '../kit/sorting';

/** An amount in the units of a currency. */
const amount = () => formNumber().pipe(z.number().min(0).max(1e12));

export const TransactionsQuery = CursorQuery.extend({
  /** Days in UTC, both inclusive. */
  startDate: formDate().optional(),
  endDate: formDate().optional(),
  type: z.enum(['charge', 'gift-payment', 'recurrent', 'refund', 'free-trial', 'external']).optional(),
  /** `store-payment`: leaves out payments in app stores. */
  exclude: formText({ max: 100 }).optional(),
  account_id: formId().optional(),
  item_id: formId().optional(),
  amount_from: amount()
    .meta({ description: 'The smallest amount, in the units of each currency: 5 finds 5 EUR and 5 JPY' })
    .optional(),
  amount_to: amount().meta({ description: 'The largest amount, in the units of each currency' }).optional(),
  ...sortFields(['created']),
});

const actionType = z.enum(['charge', 'recurrent', 'refund', 'free-trial', 'external']);

/** The fields of both histories. Amounts are in the major unit. */
const entry = {
  transaction_token: z.string(),
  trx_token: z.string(),
  payment_history_id: z.int(),
  merchant_id: z.int(),
  consumer_id: z.int(),
  consumer_email: z.string(),
  gateway_name: z.string(),
  payment_method_name: z.string(),
  payment_tool_info: z.string(),
  payment_tool_token: z.string(),
  action_type: actionType,
  item_access_id: z.int(),
  item_id: z.int(),
  item_type: z.string(),
  item_title: z.string(),
  access_fee_description: z.string(),
  charged_amount: z.number(),
  net_amount: z.number().meta({ description: 'The charged amount without its tax' }),
  tax_amount: z.number().meta({ description: 'The tax within the charged amount; 0 without a tax profile' }),
  tax_rate: z.number().meta({ description: 'In percent' }),
  tax_country: z.string().meta({ description: 'The country that gets the tax; empty without a tax profile' }),
  tax_treatment: z.string().meta({ description: 'As `treatment` of a quote; empty without a tax profile' }),
  balance: z.number().meta({
    description:
      'The part of a charge that the customer’s balance paid; negative: the debt that is included in the charged amount. 0 for other rows',
  }),
  pending_refund_amount: z.number().meta({
    description:
      'The refunds of a charge that were requested and that the customer’s bank has not confirmed yet. When they succeed, they become rows of type refund',
  }),
  currency_iso: z.string(),
  /** The app store did not report the amount, so the price of the access fee is shown. */
  is_amount_assumed: z.boolean(),
  voucher_code: z.string(),
  /** In percent; 0 if the voucher has a fixed amount. */
  voucher_discount: z.int(),
  /** In the major unit; 0 if the voucher has a percentage. */
  voucher_discount_amount: z.number(),
  country_iso: z.string(),
  ip_address: z.string(),
  referrer: z.string(),
  note: z.string(),
};

/** A consumer's row: times are Unix seconds. */
export const PaymentHistory = pageOf(z.object({ ...entry, gateway_id: z.int(), created_at: z.int() }));

/** A merchant's row: times are text. */
const Transaction = z.object({
  ...entry,
  client_id: z.string(),
  continent: z.string(),
  country: z.string(),
  device: z.object({ type: z.string(), os: z.string(), model: z.string() }),
  donation_description: z.string(),
  exchange_rate: z.number(),
  settlement_currency: z.string(),
  expires_at: z.string(),
  gift: z.object({ id: z.int(), code: z.string(), buyer_email: z.string(), receiver_email: z.string() }).nullable(),
  issued_by: z.string(),
  recorded_at: z.int().meta({
    description:
      'Unix time at which the reconciliation recorded a payment that was lost with a restored backup; else 0. Its card is not known, so its tax and its invoice need a review',
  }),
  created_at: z.string(),
  timestamp: z.int(),
});

export const Transactions = cursorPageOf(Transaction).extend({ unique_paying_customers: z.int() });

const amountsByCurrency = z.record(z.string(), z.number());

/** The oldest report: the `net_amount` of a refund is negative, and the totals are by currency. */
export const TransactionReport = cursorPageOf(
  z.object({
    id: z.int(),
    description: z.string(),
    action_type: actionType,
    item_id: z.int(),
    item_title: z.string(),
    item_type: z.string(),
    currency_iso: z.string(),
    is_amount_assumed: z.boolean(),
    charged_amount: z.number(),
    net_amount: z.number(),
    created_at: z.int(),
  }),
).extend({
  pages: z.int(),
  total_purchases: z.int(),
  total_gross_amounts: amountsByCurrency,
  current_balance: amountsByCurrency,
});
