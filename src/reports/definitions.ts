import { type ConsoleLanguage, type Language } from '../kit/languages';
import ar from './locales/ar.json';
import en from './locales/en.json';

/** The meaning of each figure in a report, in text for people, and the path of the rows behind it. */

export interface Definition {
  name: string;
  title: string;
  definition: string;
  /** `amount`: in the currency's major unit. `share`: between 0 and 1. */
  unit: 'amount' | 'count' | 'share';
  /** The path of the rows that add up to the figure. `{from}` and other placeholders stand for the query's values. */
  rows: string | null;
  /** For a quotient: the path of the rows of the divisor. `{before}` is the day before `{from}`. */
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

type Figure = Pick<Definition, 'unit' | 'rows'> & { dividedBy?: string };

const figures: Record<keyof typeof en, Figure> = {
  mrr: {
    unit: 'amount',
    rows: upTo,
  },
  arr: {
    unit: 'amount',
    rows: upTo,
  },
  new: {
    unit: 'amount',
    rows: movements('new'),
  },
  new_subscriptions: {
    unit: 'count',
    rows: movements('new'),
  },
  churned: {
    unit: 'count',
    rows: movements(churned),
  },
  reactivation: {
    unit: 'amount',
    rows: movements('reactivation'),
  },
  expansion: {
    unit: 'amount',
    rows: movements('expansion'),
  },
  contraction: {
    unit: 'amount',
    rows: movements('contraction'),
  },
  churn_voluntary: {
    unit: 'amount',
    rows: movements('churn_voluntary'),
  },
  churn_payment: {
    unit: 'amount',
    rows: movements('churn_payment'),
  },
  churn_rate: {
    unit: 'share',
    rows: movements(churned),
    dividedBy: atFirst,
  },
  revenue_churn_rate: {
    unit: 'share',
    rows: movements(`${churned},contraction`),
    dividedBy: atFirst,
  },
  subscriptions: {
    unit: 'count',
    rows: upTo,
  },
  active_subscriptions: {
    unit: 'count',
    rows: '/reporting/transitions?state=active&to={to}&currency={currency}',
  },
  trialing: {
    unit: 'count',
    rows: '/reporting/transitions?state=trialing&to={to}&currency={currency}',
  },
  past_due: {
    unit: 'count',
    rows: '/reporting/transitions?state=past_due&to={to}&currency={currency}',
  },
  renewed: {
    unit: 'count',
    rows: transitions('renewed'),
  },
  trial_started: {
    unit: 'count',
    rows: transitions('trial_started'),
  },
  trial_converted: {
    unit: 'count',
    rows: transitions('trial_converted'),
  },
  trial_lost: {
    unit: 'count',
    rows: transitions('trial_lost'),
  },
  trial_conversion_rate: {
    unit: 'share',
    rows: transitions('trial_converted'),
    dividedBy: transitions('trial_converted,trial_lost'),
  },
  revenue: {
    unit: 'amount',
    rows: money('charge'),
  },
  payments: {
    unit: 'count',
    rows: money('charge'),
  },
  refunds: {
    unit: 'amount',
    rows: money('refund'),
  },
  chargebacks: {
    unit: 'amount',
    rows: money('chargeback'),
  },
  net_revenue: {
    unit: 'amount',
    rows: '/reporting/transactions?from={from}&to={to}&currency={currency}',
  },
  customers: {
    unit: 'count',
    rows: customersUpTo,
  },
  arpu: {
    unit: 'amount',
    rows: upTo,
    dividedBy: customersUpTo,
  },
  ltv: {
    unit: 'amount',
    rows: upTo,
    dividedBy: movements(churned),
  },
  retention: {
    unit: 'share',
    rows: '/reporting/movements?cohort={cohort}&from={cohort}-01&to={to}&currency={currency}',
    dividedBy: begun,
  },
  cohort_size: {
    unit: 'count',
    rows: begun,
  },
  dunning_failed: {
    unit: 'amount',
    rows: transitions('dunning_failed'),
  },
  dunning_recovered: {
    unit: 'amount',
    rows: transitions('dunning_recovered'),
  },
  dunning_lost: {
    unit: 'amount',
    rows: transitions('dunning_lost'),
  },
  recovery_rate: {
    unit: 'share',
    rows: transitions('dunning_recovered'),
    dividedBy: transitions('dunning_recovered,dunning_lost'),
  },
  credit_owed: { unit: 'amount', rows: null },
  customer_debt: { unit: 'amount', rows: null },
  net_liability: { unit: 'amount', rows: null },
  seen: {
    unit: 'count',
    rows: null,
  },
  registered: {
    unit: 'count',
    rows: '/accounts/registered-users',
  },
  paid: {
    unit: 'count',
    rows: money('charge'),
  },
};

type FigureTexts = Record<string, { title: string; definition: string }>;

const texts: Record<ConsoleLanguage, FigureTexts> & Partial<Record<Language, FigureTexts>> = { en, ar };

export const definitions: readonly Definition[] = Object.entries(figures).map(([name, { dividedBy, ...figure }]) => ({
  name,
  ...en[name as keyof typeof en],
  ...figure,
  divided_by: dividedBy ?? null,
}));

/** The title and definition of a figure in a language of the console, or in English. */
export function definitionIn(language: Language, name: string) {
  return (texts[language] ?? en)[name as keyof typeof en];
}

/** Days are UTC days. Times are the merchant's time, which a test clock can move. */
export function listDefinitions() {
  return Promise.resolve({ collection: [...definitions] });
}
