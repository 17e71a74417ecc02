import { z } from 'zod';
import { type Caller, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type Visit } from '../../../kit/pages/page';
import { liabilityEndpoints } from '../../../reports/liabilities.endpoints';
import { attempt, type Complaint } from '../../layout/explain';
import { complaints, field, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { inConsole, refusedIf, showInConsole } from '../frame';
import { type Column, fileOf, given, table } from '../lists';
import { asOfNote } from './asOf';
import { readMeanings } from './definitions';

const query = z.object({ to: z.string().optional() });
type LiabilitiesVisit = Visit & { caller: Caller; query: z.output<typeof query> };

export const liabilityPages = {
  showLiabilities: page({
    ...inConsole,
    auth: merchant('reports:read'),
    method: 'get',
    path: '/console/reports/liabilities',
    summary: 'Credit and debt of customers',
    query,
    handler: async (visit) => {
      const texts = textsFor(visit);
      const { t } = texts;
      const outcome = await attempt(texts, () => reportOf(visit, texts));
      const refused = 'refused' in outcome ? outcome.refused : undefined;
      const place = {
        section: 'reports',
        title: t('console.liabilities.title'),
        back: { address: '/console/reports', text: t('console.sections.reports') },
      } as const;
      const content = html`${dayForm(visit, texts, refused)} ${'done' in outcome && outcome.done}`;
      return showInConsole(visit, place, content, refusedIf(refused));
    },
  }),
};

function dayForm(visit: LiabilitiesVisit, texts: Texts, complaint: Complaint | undefined): Html {
  const { t } = texts;
  return html`<form method="get" action="/console/reports/liabilities" class="card filters">
    ${complaints(texts, complaint, ['to'])}
    ${field(texts, { name: 'to', type: 'date', label: t('console.liabilities.at'), value: visit.query.to, complaint })}
    ${submit(t('console.reports.show'), { kind: 'other' })}
  </form>`;
}

async function reportOf(visit: LiabilitiesVisit, texts: Texts): Promise<Html> {
  const { t, money, number } = texts;
  const found = await visit.call(liabilityEndpoints.getLiabilities, { query: given(visit.query) });
  const meanings = await readMeanings(visit, texts);
  const title = t('console.liabilities.title');
  const columns: Column<(typeof found.collection)[number]>[] = [
    { title: t('console.fields.currency'), cell: ({ currency }) => currency },
    { title: t('console.liabilities.credit'), cell: (row) => money(row.credit, row.currency), isNumber: true },
    { title: t('console.liabilities.inCredit'), cell: (row) => number(row.customers_in_credit), isNumber: true },
    { title: t('console.liabilities.debt'), cell: (row) => money(row.debt, row.currency), isNumber: true },
    { title: t('console.liabilities.inDebt'), cell: (row) => number(row.customers_in_debt), isNumber: true },
    { title: t('console.liabilities.net'), cell: (row) => money(row.net, row.currency), isNumber: true },
  ];
  const day = texts.calendarDay(found.to);
  // The file contains current balances, so a past day has no file.
  const file = visit.query.to ? '' : fileOf(visit, texts, found.collection, { list: 'balances', query: {} });
  return html`<section class="stack">
    <p class="quiet small">${t('console.liabilities.hint', { day })}</p>
    ${asOfNote(texts, found)} ${meanings.explain(title, ['credit_owed', 'customer_debt', 'net_liability'])}
    ${table({ title, columns, rows: found.collection, empty: t('console.liabilities.none') })} ${file}
  </section>`;
}
