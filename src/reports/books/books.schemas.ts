import { z } from 'zod';
import { formDate, formText } from '../../kit/form';
import { reportTime } from '../../kit/reportTime';
import { cursorPageOf, CursorQuery } from '../../kit/page';

/** The accounts of the journal. A debit raises assets and expenses; a credit raises liabilities and income. */
export const accountClasses = {
  payment_provider: 'asset',
  bank: 'asset',
  app_stores: 'asset',
  tax_on_credits: 'asset',
  customer_balances: 'liability',
  deferred_revenue: 'liability',
  gifts_outstanding: 'liability',
  tax_payable: 'liability',
  open_charges: 'liability',
  open_refunds: 'liability',
  revenue: 'income',
  refunds: 'expense',
  chargebacks: 'expense',
  adjustments: 'expense',
  provider_fees: 'expense',
} as const;

type Account = keyof typeof accountClasses;
export const accounts = Object.keys(accountClasses) as [Account, ...Account[]];

const entryKinds = [
  ...(['charge', 'refund', 'refund_failed', 'dispute', 'balance', 'gift', 'fee', 'payout'] as const),
  ...(['store_payment', 'store_refund', 'recognition'] as const),
] as const;

const currency = formText({ min: 3, max: 3 })
  .transform((code) => code.toUpperCase())
  .optional();

/** Days in UTC, both inclusive; by default the 30 days until today. */
export const TrialBalanceQuery = z.object({ from: formDate().optional(), to: formDate().optional(), currency });

/** Amounts in the major unit. A balance is the debits less the credits, so liabilities and income are negative. */
export const TrialBalance = z.object({
  from: z.string(),
  to: z.string(),
  ...reportTime,
  collection: z.array(
    z.object({
      account: z.enum(accounts),
      class: z.enum(['asset', 'liability', 'income', 'expense']),
      currency: z.string(),
      opening: z.number(),
      debit: z.number(),
      credit: z.number(),
      closing: z.number(),
    }),
  ),
});

/** `account`: entries with this account on either side. */
export const JournalQuery = CursorQuery.extend({
  from: formDate().optional(),
  to: formDate().optional(),
  currency,
  entry_kind: z.enum(entryKinds).optional(),
  account: z.enum(accounts).optional(),
});

/** An entry moves the amount from the credited account to the debited one. */
export const Journal = cursorPageOf(
  z.object({
    id: z.int(),
    day: z.string(),
    kind: z.enum(entryKinds),
    about: z.string().meta({ description: 'The booked object, such as `refund:17`' }),
    trx_token: z.string().meta({ description: 'The transaction; empty if the entry has none' }),
    debit_account: z.enum(accounts),
    credit_account: z.enum(accounts),
    amount: z.number().meta({ description: 'In the major unit' }),
    currency: z.string(),
    booked_at: z.int(),
  }),
).extend(reportTime);

/** The end of a day in UTC; by default of yesterday. */
export const DeferredRevenueQuery = z.object({ to: formDate().optional(), currency });

/** `months`: when the deferred amount becomes revenue, in the major unit. */
export const DeferredRevenue = z.object({
  to: z.string(),
  ...reportTime,
  collection: z.array(
    z.object({
      currency: z.string(),
      deferred: z.number(),
      months: z.array(z.object({ month: z.string(), amount: z.number() })),
    }),
  ),
});
