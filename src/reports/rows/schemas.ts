import { z } from 'zod';
import { formDate, formId, formText } from '../../kit/form';
import { PageQuery, pageOf } from '../../kit/page';

const currency = formText({ min: 3, max: 3 })
  .transform((code) => code.toUpperCase())
  .optional();

/** Days in UTC, both inclusive; absent: without a bound. */
const RowsQuery = PageQuery.extend({
  from: formDate().optional(),
  to: formDate().optional(),
  currency,
  item_id: formId().optional(),
});

const kinds = ['new', 'reactivation', 'expansion', 'contraction', 'churn_voluntary', 'churn_payment'] as const;
/** `-`: of those of whom nobody knows where they were, and who had no voucher. */
const nothing = z.literal('-').transform(() => '');
const countryIso = nothing.or(z.string().regex(/^[A-Z]{2}$/, 'must be a country code'));

/** `kind`: one or several, with commas. */
export const MovementsQuery = RowsQuery.extend({
  kind: formText({ max: 100 })
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(kinds)))
    .optional(),
  country_iso: countryIso.optional(),
  cohort: z
    .string()
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month: 2026-01')
    .optional(),
  account_id: formId().optional(),
  subscription_id: formText({ max: 100 }).optional(),
});

export const Movements = pageOf(
  z.object({
    id: z.int(),
    kind: z.enum(kinds),
    reason: z.string(),
    subscription_id: z.string(),
    account_id: z.int(),
    email: z.string(),
    item_id: z.int(),
    item_title: z.string(),
    access_fee_id: z.int(),
    country_iso: z.string(),
    currency: z.string(),
    amount: z.number(),
    mrr: z.number(),
    subscriptions: z.int(),
    cohort: z.string(),
    created_at: z.int(),
  }),
).extend({ sums: z.record(z.string(), z.number()) });

export const occasions = [
  'trial_started',
  'trial_converted',
  'trial_lost',
  'renewed',
  'dunning_failed',
  'dunning_recovered',
  'dunning_lost',
] as const;

/** `what`: an occasion. `state`: what entered the state or left it. */
export const TransitionsQuery = RowsQuery.extend({
  what: z.enum(occasions).optional(),
  state: z
    .enum(['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'on_hold', 'paused'])
    .or(z.enum(['canceled', 'expired', 'revoked']))
    .optional(),
  account_id: formId().optional(),
});

export const Transitions = pageOf(
  z.object({
    id: z.int(),
    subscription_id: z.string(),
    account_id: z.int(),
    email: z.string(),
    item_id: z.int(),
    item_title: z.string(),
    currency: z.string(),
    from: z.string(),
    to: z.string(),
    reason: z.string(),
    workflow_run_id: z.string(),
    created_at: z.int(),
  }),
);

const moneyTypes = ['charge', 'refund', 'chargeback'] as const;
const paymentMethods = ['card', 'none', 'apple', 'google-play', 'amazon', 'roku'] as const;

export const TransactionsQuery = RowsQuery.extend({
  type: z.enum(moneyTypes).optional(),
  access_fee_id: formId().optional(),
  country_iso: countryIso.optional(),
  payment_method: z.enum(paymentMethods).optional(),
  voucher_code: nothing.or(formText({ max: 100 })).optional(),
  kind: z.enum(['subscription', 'one_time']).optional(),
  account_id: formId().optional(),
  /** `csv`, or `Accept: text/csv`: all of them at once. */
  format: z.enum(['json', 'csv']).optional(),
});

export const Transactions = pageOf(
  z.object({
    id: z.int(),
    type: z.enum(moneyTypes),
    kind: z.enum(['subscription', 'one_time']),
    trx_token: z.string(),
    transaction_token: z.string(),
    account_id: z.int(),
    email: z.string(),
    item_id: z.int(),
    item_title: z.string(),
    access_fee_id: z.int(),
    payment_method: z.enum(paymentMethods),
    voucher_code: z.string(),
    country_iso: z.string(),
    currency: z.string(),
    amount: z.number(),
    created_at: z.int(),
  }),
).extend({ sums: z.record(z.string(), z.number()) });

export const TransactionsOrCsv = Transactions.or(z.string());
