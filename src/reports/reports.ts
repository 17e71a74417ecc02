import { type z } from 'zod';
import { toMajor } from '../billing/money';
import { listDefinitions } from './definitions';
import { readFigures } from './figures';
import { selectLabels } from './reports.model';
import { add, churnOf, conversionOf, daysInMonth, lifetimeOf, perHead, recoveryOf } from './rates';
import { sumRecoveries } from './recoveries.model';
import { daysIn, periodsOf, readLines, readRange, shareOf, type Cell, type Line, type ReportOwner } from './series';
import { type RangeQuery, type RevenueQuery, type SeriesQuery } from './reports.schemas';

export { listDefinitions };

/** The reports: sums of daily counts, by currency. Each figure has rows behind it (`definitions`). */

export type RangeInput = z.output<typeof RangeQuery>;
export type SeriesInput = z.output<typeof SeriesQuery>;

/** The figures of a range, one row per currency. */
export async function getSummary(caller: ReportOwner, input: RangeInput) {
  const range = await readRange(caller, input);
  const asked = { range, interval: 'none', currency: input.currency } as const;
  const lines = await readLines(caller, asked, [
    { figures: ['mrr', 'paying_customers'], dimension: 'total', isRunning: true },
    { figures: ['states'], dimension: 'state', isRunning: true },
    { figures: ['movements'], dimension: 'kind' },
    { figures: ['revenue', 'refunds', 'chargebacks'], dimension: 'total' },
    { figures: ['trial_converted', 'trial_lost', 'dunning_recovered', 'dunning_lost'], dimension: 'total' },
  ]);
  const collection = lines.map((line) => summaryOf(line, daysIn(range)));
  return { from: range.from, to: range.to, collection };
}

function summaryOf({ currency, opening, periods }: Line, days: number) {
  const of = periods[0]?.of ?? opening;
  const atEnd = (name: string) => add(opening(name), of(name));
  const major = (minor: number) => toMajor(minor, currency);
  const customers = atEnd('paying_customers').count;
  const churned = churnOf(of).count;
  const { count: before } = opening('mrr');
  const churnRate = shareOf(churned, before);
  return {
    currency,
    mrr: major(atEnd('mrr').amountMinor),
    arr: major(12 * atEnd('mrr').amountMinor),
    active_subscriptions: atEnd('states:active').count,
    trialing: atEnd('states:trialing').count,
    past_due: atEnd('states:past_due').count,
    new: of('movements:new').count,
    churned,
    churn_rate: churnRate,
    subscriptions_at_start: before,
    trial_converted: of('trial_converted').count,
    trial_lost: of('trial_lost').count,
    trial_conversion_rate: conversionOf(of),
    dunning_recovered: of('dunning_recovered').count,
    dunning_lost: of('dunning_lost').count,
    recovery_rate: recoveryOf(of),
    revenue: major(of('revenue').amountMinor),
    refunds: major(of('refunds').amountMinor),
    chargebacks: major(of('chargebacks').amountMinor),
    net_revenue: major(of('revenue').amountMinor - of('refunds').amountMinor - of('chargebacks').amountMinor),
    arpu: perHead(atEnd('mrr').amountMinor, customers, currency),
    ltv: lifetimeOf(atEnd('mrr').amountMinor, customers, churnRate, days, currency),
    customers,
  };
}

/** Payments and refunds, by interval and group. */
export async function getRevenue(caller: ReportOwner, input: z.output<typeof RevenueQuery>) {
  const range = await readRange(caller, input);
  const { interval, group_by: group, currency } = input;
  const rows = await readFigures({
    merchantId: caller.merchantId,
    figures: ['revenue', 'refunds', 'chargebacks'],
    dimension: group ?? 'total',
    from: range.from,
    to: range.end,
    interval,
    currency,
  });
  const labels = await readLabels(caller, group, [...new Set(rows.map(({ key }) => key))]);
  const cells = new Map<string, { revenue: Cell; refunds: Cell; chargebacks: Cell }>();
  for (const { figure, period, key, currency: code, ...cell } of rows) {
    const place = JSON.stringify([period, code, key]);
    cells.set(place, { ...(cells.get(place) ?? { revenue: none, refunds: none, chargebacks: none }), [figure]: cell });
  }
  const collection = [...cells].map(([place, { revenue, refunds, chargebacks }]) => {
    const [period, code, key] = JSON.parse(place) as [string, string, string];
    return {
      period,
      currency: code,
      key,
      label: labels.get(key) ?? key,
      payments: revenue.count,
      revenue: toMajor(revenue.amountMinor, code),
      refunds: toMajor(refunds.amountMinor, code),
      chargebacks: toMajor(chargebacks.amountMinor, code),
      net_revenue: toMajor(revenue.amountMinor - refunds.amountMinor - chargebacks.amountMinor, code),
    };
  });
  return { from: range.from, to: range.to, interval, collection };
}

async function readLabels(
  caller: ReportOwner,
  group: string | undefined,
  keys: string[],
): Promise<Map<string, string>> {
  if (group !== 'item' && group !== 'fee') return new Map();
  const found = await selectLabels(caller.merchantId, group, keys.map(Number));
  return new Map(found.map(({ id, label }) => [String(id), label]));
}

/** The number of subscriptions that began, were renewed and ended in each interval. */
export async function getSubscriptionReport(caller: ReportOwner, input: SeriesInput) {
  return series(caller, input, [runningMrr, movements, { figures: ['renewed'], dimension: 'total' }], (line) => {
    let { count: active } = line.opening('mrr');
    return line.periods.map(({ period, of }) => {
      const before = active;
      active += of('mrr').count;
      const churned = churnOf(of).count;
      return {
        period,
        currency: line.currency,
        new: of('movements:new').count,
        reactivated: of('movements:reactivation').count,
        renewed: of('renewed').count,
        churned,
        churned_voluntary: of('movements:churn_voluntary').count,
        churned_payment: of('movements:churn_payment').count,
        churn_rate: shareOf(churned, before),
        active,
      };
    });
  });
}

/** The movements of the monthly recurring revenue. Each interval ends with the opening value of the next. */
export async function getMrr(caller: ReportOwner, input: SeriesInput) {
  return series(caller, input, [runningMrr, movements], (line) => {
    const major = (minor: number) => toMajor(minor, line.currency);
    let { amountMinor: closing } = line.opening('mrr');
    return line.periods.map(({ period, of }) => {
      const opening = closing;
      closing += of('mrr').amountMinor;
      const kind = (name: string) => of(`movements:${name}`).amountMinor;
      return {
        period,
        currency: line.currency,
        opening: major(opening),
        new: major(kind('new')),
        reactivation: major(kind('reactivation')),
        expansion: major(kind('expansion')),
        contraction: major(kind('contraction')),
        churn_voluntary: major(kind('churn_voluntary')),
        churn_payment: major(kind('churn_payment')),
        churn: major(churnOf(of).amountMinor),
        net: major(closing - opening),
        closing: major(closing),
        arr: major(12 * closing),
        revenue_churn_rate: shareOf(-(churnOf(of).amountMinor + kind('contraction')), opening),
      };
    });
  });
}

/** Paying customers, and the revenue per customer: per month and over the lifetime. */
export async function getCustomerReport(caller: ReportOwner, input: SeriesInput) {
  const wanted = [{ figures: ['mrr', 'paying_customers'], dimension: 'total', isRunning: true } as const, movements];
  const length = { day: 1, week: 7, month: daysInMonth }[input.interval];
  return series(caller, input, wanted, (line) => {
    let mrr = line.opening('mrr');
    let { count: customers } = line.opening('paying_customers');
    return line.periods.map(({ period, of }) => {
      const churnRate = shareOf(churnOf(of).count, mrr.count);
      mrr = add(mrr, of('mrr'));
      customers += of('paying_customers').count;
      return {
        period,
        currency: line.currency,
        customers,
        mrr: toMajor(mrr.amountMinor, line.currency),
        arpu: perHead(mrr.amountMinor, customers, line.currency),
        churn_rate: churnRate,
        ltv: lifetimeOf(mrr.amountMinor, customers, churnRate, length, line.currency),
      };
    });
  });
}

/** The number of trials that began, and the outcomes of those that ended. */
export async function getTrialReport(caller: ReportOwner, input: SeriesInput) {
  const wanted = { figures: ['trial_started', 'trial_converted', 'trial_lost'], dimension: 'total' } as const;
  return series(caller, input, [wanted], ({ currency, periods }) =>
    periods.map(({ period, of }) => ({
      period,
      currency,
      started: of('trial_started').count,
      converted: of('trial_converted').count,
      lost: of('trial_lost').count,
      trial_conversion_rate: conversionOf(of),
    })),
  );
}

/** Failed renewals, their outcomes, and what recovered them. */
export async function getDunningReport(caller: ReportOwner, input: SeriesInput) {
  const wanted = { figures: ['dunning_failed', 'dunning_recovered', 'dunning_lost'], dimension: 'total' } as const;
  const report = await series(caller, input, [wanted], ({ currency, periods }) =>
    periods.map(({ period, of }) => {
      const [failed, recovered, lost] = wanted.figures.map(of) as [Cell, Cell, Cell];
      const occasion = ({ count, amountMinor }: Cell) => ({ count, amount: toMajor(amountMinor, currency) });
      return {
        period,
        currency,
        failed: occasion(failed),
        recovered: occasion(recovered),
        lost: occasion(lost),
        recovery_rate: recoveryOf(of),
      };
    }),
  );
  const { end } = await readRange(caller, input);
  const recoveries = await sumRecoveries(caller.merchantId, { from: report.from, end, currency: input.currency });
  const measures = recoveries.map(({ measure, currency, count, amountMinor }) => ({
    measure,
    currency,
    count,
    amount: toMajor(amountMinor, currency),
  }));
  return { ...report, measures };
}

/** For the subscriptions that began in a month, the number that count at the end of each month since. */
export async function getCohorts(caller: ReportOwner, input: RangeInput) {
  const range = await readRange(caller, input, 365);
  const months = periodsOf(range, 'month');
  const [first = ''] = months;
  const asked = { merchantId: caller.merchantId, dimension: 'cohort', currency: input.currency, to: range.end };
  const rows = await readFigures({ ...asked, figures: ['mrr', 'begun'], from: first, interval: 'month' });
  const begun = rows.filter(({ figure }) => figure === 'begun');
  const collection = begun.map(({ key, currency, count: size, amountMinor: sizeMinor }) => {
    let left = none;
    const own = rows.filter((row) => row.figure === 'mrr' && row.key === key && row.currency === currency);
    const lived = months.filter((month) => month.slice(0, 7) >= key);
    return {
      cohort: key,
      currency,
      size,
      months: lived.map((month) => {
        left = add(left, own.find(({ period }) => period === month) ?? none);
        return {
          month: month.slice(0, 7),
          subscriptions: left.count,
          mrr: toMajor(left.amountMinor, currency),
          retention: shareOf(left.count, size),
          mrr_retention: shareOf(left.amountMinor, sizeMinor),
        };
      }),
    };
  });
  return { from: range.from, to: range.to, collection };
}

const runningMrr = { figures: ['mrr'], dimension: 'total', isRunning: true } as const;
const movements = { figures: ['movements'], dimension: 'kind' } as const;
const none: Cell = { count: 0, amountMinor: 0 };

async function series<Row>(
  caller: ReportOwner,
  input: SeriesInput,
  wanted: Parameters<typeof readLines>[2],
  rowsOf: (line: Line) => Row[],
) {
  const range = await readRange(caller, input);
  const { interval, currency } = input;
  const lines = await readLines(caller, { range, interval, currency }, wanted);
  return { from: range.from, to: range.to, interval, collection: lines.flatMap(rowsOf) };
}
