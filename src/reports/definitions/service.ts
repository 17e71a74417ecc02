/** What each number of a report means, in words for people, and where the rows behind it are. */

export interface Definition {
  name: string;
  title: string;
  definition: string;
  /** `amount`: in the currency's major unit. `share`: between 0 and 1. */
  unit: 'amount' | 'count' | 'share';
  /** The path of the rows that the number is a sum of; `{from}` and the like stand for what was asked. */
  rows: string | null;
  /** Of what is divided: the path of the rows that it is divided by. `{before}` is the day before `{from}`. */
  divided_by: string | null;
}

const movements = (kind: string) => `/reporting/movements?kind=${kind}&from={from}&to={to}&currency={currency}`;
const transitions = (what: string) => `/reporting/transitions?what=${what}&from={from}&to={to}&currency={currency}`;
const money = (type: string) => `/reporting/transactions?type=${type}&from={from}&to={to}&currency={currency}`;

const upTo = '/reporting/movements?to={to}&currency={currency}';
const atFirst = '/reporting/movements?to={before}&currency={currency}';
const customersUpTo = `${upTo}&customers=true`;
const begun = '/reporting/movements?cohort={cohort}&first=true&from={cohort}-01&to={to}&currency={currency}';
const churned = 'churn_voluntary,churn_payment';

const counted =
  'A subscription counts from its first paid charge on, while it is active or its payment is being retried with access; one of an app store as its store tells, at the fee’s price where the store tells none.';

type Text = Omit<Definition, 'name' | 'divided_by'> & { dividedBy?: string };

const texts: Record<string, Text> = {
  mrr: {
    title: 'Monthly recurring revenue',
    definition: `What all counted subscriptions bring in a month at the end of the range: the price of the latest charge after its voucher, a year as 12 months and a week as 12/52.18 of a month, without setup fees. ${counted}`,
    unit: 'amount',
    rows: upTo,
  },
  arr: {
    title: 'Annual recurring revenue',
    definition: 'Twelve times the monthly recurring revenue.',
    unit: 'amount',
    rows: upTo,
  },
  new: {
    title: 'New',
    definition: 'What subscriptions bring that began to count, of customers who never had the item before.',
    unit: 'amount',
    rows: movements('new'),
  },
  new_subscriptions: {
    title: 'New',
    definition: 'How many subscriptions began to count, of customers who never had the item before.',
    unit: 'count',
    rows: movements('new'),
  },
  churned: {
    title: 'Churned',
    definition:
      'How many subscriptions stopped counting, by wish or because the money did not come. It counts when access ends, not when renewal is turned off.',
    unit: 'count',
    rows: movements(churned),
  },
  reactivation: {
    title: 'Reactivation',
    definition:
      'What subscriptions bring that count again: after a pause, a late payment or a chargeback that was won, or bought anew by a customer who had the item before.',
    unit: 'amount',
    rows: movements('reactivation'),
  },
  expansion: {
    title: 'Expansion',
    definition: 'By how much counted subscriptions bring more: a dearer plan, or the end of a discount.',
    unit: 'amount',
    rows: movements('expansion'),
  },
  contraction: {
    title: 'Contraction',
    definition:
      'By how much counted subscriptions bring less: a cheaper plan, or the beginning of a discount. Below zero.',
    unit: 'amount',
    rows: movements('contraction'),
  },
  churn_voluntary: {
    title: 'Churn by wish',
    definition:
      'What subscriptions brought that stopped counting because the customer canceled or paused, or got the money back. It counts when access ends, not when renewal is turned off. Below zero.',
    unit: 'amount',
    rows: movements('churn_voluntary'),
  },
  churn_payment: {
    title: 'Churn by payment',
    definition:
      'What subscriptions brought that stopped counting because the money did not come (the days of grace were over), or was charged back. Below zero.',
    unit: 'amount',
    rows: movements('churn_payment'),
  },
  churn_rate: {
    title: 'Churn rate',
    definition:
      'Subscriptions that stopped counting in the range, as a share of those that counted at its beginning. Empty when none did.',
    unit: 'share',
    rows: movements(churned),
    dividedBy: atFirst,
  },
  revenue_churn_rate: {
    title: 'Revenue churn rate',
    definition:
      'The monthly recurring revenue lost by churn and contraction in the range, as a share of that at its beginning.',
    unit: 'share',
    rows: movements(`${churned},contraction`),
    dividedBy: atFirst,
  },
  subscriptions: {
    title: 'Counted subscriptions',
    definition: `How many subscriptions count at the end of the range. ${counted}`,
    unit: 'count',
    rows: upTo,
  },
  active_subscriptions: {
    title: 'Active subscriptions',
    definition: 'Subscriptions in the state active at the end of the range, those of app stores as their stores tell.',
    unit: 'count',
    rows: '/reporting/transitions?state=active&to={to}&currency={currency}',
  },
  trialing: {
    title: 'In trial',
    definition: 'Subscriptions in their free time at the end of the range.',
    unit: 'count',
    rows: '/reporting/transitions?state=trialing&to={to}&currency={currency}',
  },
  past_due: {
    title: 'Payment overdue',
    definition: 'Subscriptions whose payment failed and is being retried, with access, at the end of the range.',
    unit: 'count',
    rows: '/reporting/transitions?state=past_due&to={to}&currency={currency}',
  },
  renewed: {
    title: 'Renewed',
    definition: 'Payments after the first of a subscription. Of an app store those that it tells of.',
    unit: 'count',
    rows: transitions('renewed'),
  },
  trial_started: {
    title: 'Trials begun',
    definition: 'Subscriptions that began with free time.',
    unit: 'count',
    rows: transitions('trial_started'),
  },
  trial_converted: {
    title: 'Trials converted',
    definition:
      'Subscriptions that began with free time and had their first paid charge, in an app store also by another plan that took their place.',
    unit: 'count',
    rows: transitions('trial_converted'),
  },
  trial_lost: {
    title: 'Trials lost',
    definition: 'Subscriptions that began with free time and ended without a paid charge.',
    unit: 'count',
    rows: transitions('trial_lost'),
  },
  trial_conversion_rate: {
    title: 'Trial conversion',
    definition: 'Of the trials that were converted or lost in the range, the share that was converted.',
    unit: 'share',
    rows: transitions('trial_converted'),
    dividedBy: transitions('trial_converted,trial_lost'),
  },
  revenue: {
    title: 'Revenue',
    definition:
      'What was paid in the range, for subscriptions and once, by card and in app stores, on the day of the payment. Of a store that tells no price the fee’s counts.',
    unit: 'amount',
    rows: money('charge'),
  },
  payments: {
    title: 'Payments',
    definition: 'How many payments the revenue is the sum of.',
    unit: 'count',
    rows: money('charge'),
  },
  refunds: {
    title: 'Refunds',
    definition: 'What merchants and app stores gave back in the range, on the day when it went back.',
    unit: 'amount',
    rows: money('refund'),
  },
  chargebacks: {
    title: 'Chargebacks',
    definition:
      'What payers’ banks took back in the range, on the day when they took it. One that the merchant wins counts no more.',
    unit: 'amount',
    rows: money('chargeback'),
  },
  net_revenue: {
    title: 'Net revenue',
    definition: 'Revenue less refunds and chargebacks of the same range.',
    unit: 'amount',
    rows: '/reporting/transactions?from={from}&to={to}&currency={currency}',
  },
  customers: {
    title: 'Paying customers',
    definition: 'Customers with at least one counted subscription at the end of the range.',
    unit: 'count',
    rows: customersUpTo,
  },
  arpu: {
    title: 'Revenue per customer',
    definition: 'Monthly recurring revenue divided by paying customers, both at the end of the range.',
    unit: 'amount',
    rows: upTo,
    dividedBy: customersUpTo,
  },
  ltv: {
    title: 'Lifetime value',
    definition:
      'Revenue per customer divided by the churn rate of a month: what a customer brings until it leaves, if nothing changes. Empty without churn.',
    unit: 'amount',
    rows: upTo,
    dividedBy: movements(churned),
  },
  retention: {
    title: 'Retention',
    definition:
      'Of the subscriptions that first counted in a month, the share that counts at the end of that and of each later month.',
    unit: 'share',
    rows: '/reporting/movements?cohort={cohort}&from={cohort}-01&to={to}&currency={currency}',
    dividedBy: begun,
  },
  cohort_size: {
    title: 'Began',
    definition: 'How many subscriptions first counted in that month.',
    unit: 'count',
    rows: begun,
  },
  dunning_failed: {
    title: 'Payments failed',
    definition:
      'Renewals whose first try was declined, and what they were to bring; in app stores those that the store retries. Of a store that tells no price the fee’s counts.',
    unit: 'amount',
    rows: transitions('dunning_failed'),
  },
  dunning_recovered: {
    title: 'Recovered',
    definition:
      'Failed renewals that were paid by a later try or another card. Of a store that tells no price the fee’s counts.',
    unit: 'amount',
    rows: transitions('dunning_recovered'),
  },
  dunning_lost: {
    title: 'Lost',
    definition: 'Failed renewals whose subscription ended without the money, at what was to be paid.',
    unit: 'amount',
    rows: transitions('dunning_lost'),
  },
  recovery_rate: {
    title: 'Recovery rate',
    definition: 'Of the failed renewals that were recovered or lost in the range, the share that was recovered.',
    unit: 'share',
    rows: transitions('dunning_recovered'),
    dividedBy: transitions('dunning_recovered,dunning_lost'),
  },
  seen: {
    title: 'Visitors',
    definition: 'Visits of a day in which a paywall or a preview was seen; a visit is one browser session.',
    unit: 'count',
    rows: null,
  },
  registered: {
    title: 'Registered',
    definition: 'Customers who registered.',
    unit: 'count',
    rows: '/accounts/registered-users',
  },
  paid: {
    title: 'Paid',
    definition: 'Customers’ purchases: subscriptions that began to count for the first time, and one-time payments.',
    unit: 'count',
    rows: money('charge'),
  },
};

export const definitions: readonly Definition[] = Object.entries(texts).map(([name, { dividedBy, ...text }]) => ({
  name,
  ...text,
  divided_by: dividedBy ?? null,
}));

/** Days are days in UTC, and times the merchant's own, which a test clock moves. */
export function listDefinitions() {
  return Promise.resolve({ collection: [...definitions] });
}
