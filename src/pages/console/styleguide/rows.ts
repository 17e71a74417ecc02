import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { copyable, copyableInRow, copyButton, copyOnly } from '../../layout/copyable';
import { type Choice, emptyCard } from '../../layout/lists';
import { type Texts } from '../../layout/texts';
import {
  badge,
  breakable,
  type Column,
  day,
  emptyBeforeSales,
  emptyWith,
  facts,
  fileOf,
  pager,
  sizedPager,
  type Sorting,
  table,
  tabs,
  when,
} from '../lists';
import { timelineOf } from '../sales/timeline';
import { place } from './place';

/** Tables, and other lists of rows. Their people are invented. */

interface Row {
  id: number;
  email: string;
  state: string;
  amount: number;
}

const rows: readonly Row[] = [
  { id: 1, email: 'ada@example.com', state: 'active', amount: 9.99 },
  { id: 2, email: 'a.reader.with.a.long.address@newspaper.example.com', state: 'past_due', amount: 99 },
  { id: 3, email: 'lin@example.com', state: 'canceled', amount: 1234.5 },
];
/** 31 January 2030, 12:00 UTC. */
const instant = 1_896_091_200;
const file = { list: 'customers', query: {} } as const;

export function lists(visit: Visit, texts: Texts): Html {
  const { t } = texts;
  const title = t('console.sections.customers');
  const columns = columnsOf(texts);
  const empty = t('console.styleguide.nothing');
  const next = { address: place, text: title, scope: 'accounts:read' } as const;
  const choice: Choice<Row> = {
    form: 'chosen',
    title: t('console.chosen.select'),
    value: ({ id }) => String(id),
    name: ({ email }) => email,
  };
  const sorting: Sorting = { address: place, title: t('console.sortBy'), by: 'email', order: 'asc' };
  const pages = { [place]: title, [`${place}?page=2`]: t('console.sections.catalogue') };
  return html`${tabs(t('console.styleguide.tabs'), pages, place)}
  ${table({ title, columns, rows, empty, choice, sorting })}
  ${sizedPager(visit, texts, { total: 120, page: 2, limit: 15 }, file)}
  ${table({ title: t('console.styleguide.narrow'), columns: columns.slice(0, 2), rows, empty })}
  ${pager(visit, texts, { total: 3, page: 1, limit: 15 })} ${fileOf(visit, texts, rows, file)}
  ${table({ title, columns, rows: [], empty: emptyBeforeSales(visit, texts, empty) })}
  ${emptyCard(emptyWith(visit, empty, next), 'receipt')} ${otherLists(texts)}`;
}

function columnsOf(texts: Texts): Column<Row>[] {
  const { t } = texts;
  return [
    {
      title: t('common.email'),
      cell: ({ email }) => copyableInRow(texts, { value: email, shown: breakable(email) }),
      sort: { by: 'email', first: 'asc' },
    },
    {
      title: t('console.fields.state'),
      cell: ({ id, state }) =>
        html`${badge(texts, state)} ${copyOnly(texts, { value: `sample-${id}`, kind: t('console.fields.id') })}`,
    },
    { title: t('console.fields.createdAt'), cell: () => day(texts, instant), sort: { by: 'created', first: 'desc' } },
    { title: t('console.fields.amount'), cell: ({ amount }) => texts.money(amount, 'EUR'), isNumber: true },
  ];
}

function otherLists(texts: Texts): Html {
  const { t } = texts;
  const amount = { amount: '€9.99', amount_number: 9.99, currency_iso: 'EUR' };
  const event = { ...amount, happened_at: instant, workflow_id: '', workflow_url: '', reference: '' } as const;
  const entries: Parameters<typeof timelineOf>[1] = [
    {
      ...event,
      kind: 'subscription',
      type: 'subscribe.renewed',
      summary: t('console.styleguide.monthly'),
      reason: 'paid',
    },
    { ...event, kind: 'payment', type: 'payment.card.success', summary: '', reason: '' },
  ];
  return html`<ul class="card entries">
      ${rows.map(
        ({ email, state }) =>
          html`<li>
            <span>${breakable(email)}</span>
            ${badge(texts, state)}
          </li>`,
      )}
    </ul>
    <ul class="plain-list">
      ${rows.map(({ email }) => html`<li>${breakable(email)}</li>`)}
    </ul>
    <div class="card">
      ${facts([
        [t('common.email'), breakable('ada@example.com')],
        [t('console.fields.createdAt'), when(texts, instant)],
        [t('console.fields.amount'), texts.money(9.99, 'EUR')],
        [t('console.fields.id'), copyable(texts, { value: 'sample-1f9a', name: t('console.fields.id') })],
      ])}
      <p class="copyable">${copyButton(texts, { value: 'sample-1f9a', name: t('console.fields.id') })}</p>
    </div>
    ${timelineOf(texts, entries)}`;
}
