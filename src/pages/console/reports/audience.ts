import { z } from 'zod';
import { analyticsEndpoints } from '../../../analytics/analytics.endpoints';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type Visit } from '../../../kit/pages/page';
import { barChart } from '../../charts/charts';
import { type AnswerOf, type RowOf } from '../../layout/answers';
import { attempt, type Complaint } from '../../layout/explain';
import { complaints, field, submit } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { inConsole, refusedIf, showInConsole } from '../frame';
import { fileAddress, fileOf, given, stat, table } from '../lists';
import { shareText } from './figures';

const address = '/console/reports/audience';
const Range = z.object({ from: z.string().optional(), to: z.string().optional() });
type RangeVisit = Visit & { query: z.output<typeof Range> };

/** The number of countries in the chart. The table has all countries. */
const barsMax = 12;

export const audiencePages = {
  showAudience: page({
    ...inConsole,
    feature: 'analytics',
    auth: merchant('reports:read'),
    method: 'get',
    path: address,
    summary: 'The funnel from the first visit to the payment, and the visitors by country',
    query: Range,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const outcome = await attempt(texts, () => audienceOf(visit, texts));
      const place = {
        section: 'reports',
        title: t('console.audience.title'),
        back: { address: '/console/reports', text: t('console.sections.reports') },
      } as const;
      const refused = 'refused' in outcome ? outcome.refused : undefined;
      const content = 'done' in outcome ? outcome.done : rangeForm(texts, visit.query, refused);
      return showInConsole(visit, place, content, refusedIf(refused));
    },
  }),
};

async function audienceOf(visit: RangeVisit, texts: Texts): Promise<Html> {
  const query = given(visit.query);
  const [funnel, audience, items] = await Promise.all([
    visit.call(analyticsEndpoints.getFunnel, { query }),
    visit.call(analyticsEndpoints.getAudience, { query }),
    visit.call(analyticsEndpoints.listItemEvents, { query }),
  ]);
  const { from, to } = funnel;
  const range = { from, to };
  return html`${rangeForm(texts, funnel, undefined)} ${funnelOf(visit, texts, funnel, whoOf(visit, texts, audience))}
  ${itemsOf(texts, items.collection)} ${fileOf(visit, texts, items.collection, { list: 'item-events', query: range })}`;
}

function rangeForm(texts: Texts, range: z.output<typeof Range>, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const day = (name: 'from' | 'to') =>
    field(texts, {
      name,
      value: range[name],
      complaint,
      isRequired: true,
      type: 'date',
      label: t(`console.fields.${name}`),
    });
  return html`<form method="get" action="${address}" class="card filters">
    ${complaints(texts, complaint, ['from', 'to'])} ${day('from')} ${day('to')}
    ${submit(t('console.reports.show'), { kind: 'other' })}
  </form>`;
}

type Funnel = AnswerOf<typeof analyticsEndpoints.getFunnel>;

/** The funnel as figures and as a chart, and the countries of its visitors. */
function funnelOf(visit: Visit, texts: Texts, funnel: Funnel, who: Html): Html {
  const { t, number } = texts;
  const steps = ['seen', 'registered', 'checkout', 'paid'] as const;
  const rate = (share: number | null) =>
    share === null ? undefined : t('console.audience.ofBefore', { share: shareText(texts, share) });
  const notes = { registered: rate(funnel.registered_rate), paid: rate(funnel.paid_rate) };
  const tiles = steps.map((name) =>
    stat(t(`console.audience.${name}`), number(funnel[name]), name in notes ? notes[name as 'paid'] : undefined),
  );
  const chart = barChart({
    title: t('console.audience.funnel'),
    labels: steps.map((name) => t(`console.audience.${name}`)),
    series: [{ name: t('console.audience.funnel'), values: steps.map((name) => funnel[name]) }],
    texts,
    csv: fileAddress(visit, { list: 'funnel', query: { from: funnel.from, to: funnel.to } }),
  });
  return html`<div class="grid">${tiles}</div>
    <div class="charts">
      <section class="card stack">
        <h2>${t('console.audience.funnel')}</h2>
        <p class="quiet small">${t('console.audience.funnelHint')}</p>
        ${chart}
      </section>
      ${who}
    </div>`;
}

type Audience = AnswerOf<typeof analyticsEndpoints.getAudience>;

function whoOf(visit: Visit, texts: Texts, { from, to, countries, devices }: Audience): Html {
  const { t } = texts;
  const csv = fileAddress(visit, { list: 'audience', query: { from, to } });
  const byCountry = countries.map(({ country_iso: code, visits }) => ({
    name: code === '' ? t('console.audience.unknown') : texts.country(code),
    visits,
  }));
  const byDevice = devices.map(({ device, visits }) => ({
    name: device === 'other' ? t('console.audience.unknown') : named(texts, 'devices', device),
    visits,
  }));
  return html`${shares(texts, t('console.audience.countries'), byCountry, csv)}
  ${shares(texts, t('console.audience.devices'), byDevice, csv)}`;
}

interface Share {
  name: string;
  visits: number;
}

function shares(texts: Texts, title: string, rows: readonly Share[], csv: string | undefined): Html {
  const { t, number } = texts;
  if (rows.length === 0)
    return html`<section class="card stack">
      <h2>${title}</h2>
      <p class="quiet">${t('console.audience.none')}</p>
    </section>`;
  const total = rows.reduce((sum, { visits }) => sum + visits, 0);
  const shown = rows.slice(0, barsMax);
  const chart = barChart({
    title,
    labels: shown.map(({ name }) => name),
    series: [{ name: t('console.audience.visits'), values: shown.map(({ visits }) => visits) }],
    texts,
    csv,
  });
  const list = table({
    title,
    rows,
    empty: '',
    columns: [
      { title, cell: ({ name }) => name },
      { title: t('console.audience.visits'), cell: ({ visits }) => number(visits), isNumber: true },
      { title: t('console.audience.share'), cell: ({ visits }) => shareText(texts, visits / total), isNumber: true },
    ],
  });
  return html`<section class="card stack">
    <h2>${title}</h2>
    ${chart} ${list}
  </section>`;
}

type ItemEvents = RowOf<typeof analyticsEndpoints.listItemEvents>;

const events = ['preview_view', 'paywall_view', 'checkout_start', 'checkout_success', 'playback_start'] as const;

function itemsOf(texts: Texts, rows: readonly ItemEvents[]): Html {
  const { t, number } = texts;
  return html`<section class="stack">
    <h2>${t('console.audience.items')}</h2>
    ${table({
      title: t('console.audience.items'),
      rows,
      empty: t('console.audience.none'),
      columns: [
        {
          title: t('console.fields.item'),
          cell: ({ item_id, title }) => html`<a href="/console/items/${item_id}">${title}</a>`,
        },
        ...events.map((name) => ({
          title: t(`console.audience.events.${name}`),
          cell: (row: ItemEvents) => number(row.events[name] ?? 0),
          isNumber: true as const,
        })),
      ],
    })}
  </section>`;
}
