import { z } from 'zod';
import { type Caller } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { type Complaint } from '../../layout/explain';
import { complaints, field, select, submit } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { listQuery } from '../frame';
import { withParameters } from '../lists';

/** The range and the currency of a report. */

const intervals = ['day', 'week', 'month'] as const;
export const Range = z.object({
  ...listQuery,
  from: z.string().optional(),
  to: z.string().optional(),
  currency: z.string().optional(),
  interval: z.string().optional(),
  /** `previous`: with the values of the previous period. */
  compare: z.string().optional(),
  group_by: z.string().optional(),
});
export type RangeVisit = Visit & { caller: Caller; query: z.output<typeof Range> };

/** The same query with all values set. */
export interface ReportQuery {
  from: string;
  to: string;
  currency: string;
  interval: string;
}

export function rangeForm(visit: RangeVisit, texts: Texts, currencies: readonly string[], complaint?: Complaint): Html {
  const { t } = texts;
  const { query } = visit;
  const known = (name: 'from' | 'to') => ({
    name,
    value: query[name],
    complaint,
    isRequired: true,
    type: 'date' as const,
  });
  return html`<form method="get" action="/console/reports" class="card filters">
    ${complaints(texts, complaint, ['from', 'to'])}
    ${field(texts, { ...known('from'), label: t('console.fields.from') })}
    ${field(texts, { ...known('to'), label: t('console.fields.to') })}
    ${select(texts, {
      name: 'interval',
      value: query.interval,
      label: t('console.reports.by'),
      choices: intervals.map((name) => [name, t(`console.reports.intervals.${name}`)] as const),
      isRequired: true,
    })}
    ${
      currencies.length > 1
        ? select(texts, {
            name: 'currency',
            value: query.currency,
            label: t('console.fields.currency'),
            choices: currencies.map((code) => [code, code] as const),
            isRequired: true,
          })
        : ''
    }
    ${select(texts, {
      name: 'compare',
      value: query.compare,
      label: t('console.charts.compare'),
      choices: [
        ['', t('console.charts.nothing')],
        ['previous', t('console.charts.previous')],
      ],
      isRequired: true,
    })}
    ${submit(t('console.reports.show'), { kind: 'other' })}
    <nav class="row small" aria-label="${t('console.reports.spans.title')}">${spanLinks(visit, texts)}</nav>
  </form>`;
}

const spans = { month: 30, quarter: 90, year: 365, years: 1095 } as const;

/** Links to shorter and longer ranges with the same last day. */
function spanLinks({ address, query: { from, to = '' } }: RangeVisit, { t }: Texts): Html[] {
  const lastMs = Date.parse(to);
  if (Number.isNaN(lastMs)) return [];
  return Object.entries(spans).map(([name, days]) => {
    const first = new Date(lastMs - (days - 1) * dayMs).toISOString().slice(0, 10);
    const shown = withParameters(address, { from: first, to, interval: undefined, done: undefined });
    const isCurrent = first === from ? html`aria-current="true"` : '';
    const text = t(`console.reports.spans.${name as keyof typeof spans}`);
    return html`<a class="button slim" href="${shown}" ${isCurrent}>${text}</a>`;
  });
}

const dayMs = 86_400_000;

const daysMax = 92;
const weeksDaysMax = 366;

/** The interval that divides a range into a readable number of bars. */
export function intervalFor({ from, to }: { from: string; to: string }): (typeof intervals)[number] {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs;
  if (days <= daysMax) return 'day';
  return days <= weeksDaysMax ? 'week' : 'month';
}
