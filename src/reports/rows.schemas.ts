import { z } from 'zod';
import { formBool, formDate, formId, formText } from '../kit/form';
import { reportTime } from '../kit/reportTime';
import { cursorPageOf, CursorQuery } from '../kit/page';

const currency = formText({ min: 3, max: 3 })
  .transform((code) => code.toUpperCase())
  .optional();

/** Days in UTC, both inclusive; an absent bound does not filter. */
const RowsQuery = CursorQuery.extend({
  from: formDate().optional(),
  to: formDate().optional(),
  currency,
  item_id: formId().optional(),
});

const kinds = ['new', 'reactivation', 'expansion', 'contraction', 'churn_voluntary', 'churn_payment'] as const;
/** `-` selects rows without a known country or without a voucher. */
const nothing = z.literal('-').transform(() => '');
const countryIso = nothing.or(z.string().regex(/^[A-Z]{2}$/, 'must be a country code'));

/** One or several values, separated by commas. */
const someOf = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  formText({ max: 200 })
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(names)));

/**
 * `first`: the lines with which subscriptions began to count. `customers`: the lines with which customers were gained
 * or lost.
 */
export const MovementsQuery = RowsQuery.extend({
  kind: someOf(kinds).optional(),
  first: formBool().optional(),
  customers: formBool().optional(),
  country_iso: countryIso.optional(),
  cohort: z
    .string()
    .regex(/^(?:19|[2-9]\d)\d{2}-(?:0[1-9]|1[0-2])$/, 'must be a month in 1900 or later: 2026-01')
    .optional(),
  account_id: formId().optional(),
  subscription_id: formText({ max: 100 }).optional(),
});

/** The sum of all lines on all pages, by currency. */
const sums = z.record(z.string(), z.number());

/** `counts`: the change in the number of counted subscriptions and of paying customers over all lines. */
export const Movements = cursorPageOf(
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
    customers: z.int(),
    cohort: z.string(),
    created_at: z.int(),
  }),
).extend({
  ...reportTime,
  sums,
  counts: z.record(z.string(), z.object({ subscriptions: z.int(), customers: z.int() })),
});

export const occasions = [
  'trial_started',
  'trial_converted',
  'trial_lost',
  'renewed',
  'dunning_failed',
  'dunning_recovered',
  'dunning_lost',
] as const;

/** `what`: the kinds of transitions. `state`: transitions into or out of the state. */
export const TransitionsQuery = RowsQuery.extend({
  what: someOf(occasions).optional(),
  state: z
    .enum(['incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'on_hold', 'paused'])
    .or(z.enum(['canceled', 'expired', 'revoked']))
    .optional(),
  account_id: formId().optional(),
});

/**
 * `amount`: of a payment, also of one that failed or was lost. `state_change`: the change in the number of
 * subscriptions in the requested `state` over all rows; null without one.
 */
export const Transitions = cursorPageOf(
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
    amount: z.number(),
    workflow_run_id: z.string(),
    created_at: z.int(),
  }),
).extend({ ...reportTime, sums, state_change: z.int().nullable() });

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
  /** `csv`, or `Accept: text/csv`: all rows as a file. */
  format: z.enum(['json', 'csv']).optional(),
});

export const Transactions = cursorPageOf(
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
    /** The app store did not report an amount, so the access fee's price is used. */
    is_amount_assumed: z.boolean(),
  }),
).extend({ ...reportTime, sums });

export const TransactionsOrCsv = Transactions.or(z.string());
