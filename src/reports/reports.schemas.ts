import { z } from 'zod';
import { formDate, formText } from '../kit/form';
import { reportTime } from '../kit/reportTime';

/** Days in UTC, both inclusive. By default the last 30 days in the merchant's time. */
export const RangeQuery = z.object({
  from: formDate().optional(),
  to: formDate().optional(),
  currency: formText({ min: 3, max: 3 })
    .transform((code) => code.toUpperCase())
    .optional(),
});

const interval = z.enum(['day', 'week', 'month']).default('day');

export const SeriesQuery = RangeQuery.extend({ interval });

const revenueGroups = ['item', 'fee', 'country', 'payment_method', 'voucher', 'kind'] as const;
export const RevenueQuery = SeriesQuery.extend({ group_by: z.enum(revenueGroups).optional() });

/** Amounts in the major unit. Days are `YYYY-MM-DD`; a week and a month are named by their first day. */
const amount = z.number();
const share = z.number().nullable();
const range = { from: z.string(), to: z.string(), ...reportTime };
const reportOf = <Row extends z.ZodRawShape>(row: Row) => z.object({ ...range, collection: z.array(z.object(row)) });
const seriesOf = <Row extends z.ZodRawShape>(row: Row) =>
  z.object({
    ...range,
    interval: z.enum(['day', 'week', 'month']),
    collection: z.array(z.object({ period: z.string(), currency: z.string(), ...row })),
  });

export const Summary = reportOf({
  currency: z.string(),
  mrr: amount,
  arr: amount,
  active_subscriptions: z.int(),
  trialing: z.int(),
  past_due: z.int(),
  new: z.int(),
  churned: z.int(),
  churn_rate: share,
  /** The denominator of the churn rate. */
  subscriptions_at_start: z.int(),
  trial_converted: z.int(),
  trial_lost: z.int(),
  trial_conversion_rate: share,
  dunning_recovered: z.int(),
  dunning_lost: z.int(),
  recovery_rate: share,
  revenue: amount,
  refunds: amount,
  chargebacks: amount,
  net_revenue: amount,
  arpu: amount.nullable(),
  ltv: amount.nullable(),
  customers: z.int(),
});

export const Revenue = seriesOf({
  key: z.string(),
  label: z.string(),
  payments: z.int(),
  revenue: amount,
  refunds: amount,
  chargebacks: amount,
  net_revenue: amount,
});

export const Subscriptions = seriesOf({
  new: z.int(),
  reactivated: z.int(),
  renewed: z.int(),
  churned: z.int(),
  churned_voluntary: z.int(),
  churned_payment: z.int(),
  churn_rate: share,
  active: z.int(),
});

export const Mrr = seriesOf({
  opening: amount,
  new: amount,
  reactivation: amount,
  expansion: amount,
  contraction: amount,
  churn_voluntary: amount,
  churn_payment: amount,
  churn: amount,
  net: amount,
  closing: amount,
  arr: amount,
  revenue_churn_rate: share,
});

export const Customers = seriesOf({
  customers: z.int(),
  mrr: amount,
  arpu: amount.nullable(),
  churn_rate: share,
  ltv: amount.nullable(),
});

export const Trials = seriesOf({
  started: z.int(),
  converted: z.int(),
  lost: z.int(),
  trial_conversion_rate: share,
});

const occasion = z.object({ count: z.int(), amount });

/** `measures`: what recovered the failed renewals of the whole range. */
export const Dunning = seriesOf({
  failed: occasion,
  recovered: occasion,
  lost: occasion,
  recovery_rate: share,
}).extend({
  measures: z.array(
    z.object({
      measure: z.enum([
        ...(['automatic_retry', 'card_updater', 'mail_link', 'confirmation', 'new_card', 'portal'] as const),
        'merchant',
      ]),
      currency: z.string(),
      count: z.int(),
      amount,
    }),
  ),
});

/** `retention` and `mrr_retention` are shares of the value at the end of the first month. */
export const Cohorts = z.object({
  ...range,
  collection: z.array(
    z.object({
      cohort: z.string(),
      currency: z.string(),
      size: z.int(),
      months: z.array(
        z.object({ month: z.string(), subscriptions: z.int(), mrr: amount, retention: share, mrr_retention: share }),
      ),
    }),
  ),
});

export const Definitions = z.object({
  collection: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      definition: z.string(),
      unit: z.enum(['amount', 'count', 'share']),
      rows: z.string().nullable(),
      divided_by: z.string().nullable(),
    }),
  ),
});
