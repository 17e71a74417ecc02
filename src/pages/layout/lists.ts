import { html, type Html, type Written } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { icon, type IconName } from './icons';
import { type Texts } from './texts';

/** Tables, facts and times of pages. */

export interface Column<Row> {
  title: string;
  cell: (row: Row) => Written;
  /** Whether the column has numbers, which are aligned at the end. */
  isNumber?: true;
  /** The key by which a press on the title sorts the list, and the direction of the first press. */
  sort?: { by: string; first: Direction };
}

export type Direction = 'asc' | 'desc';

/** The present order of a list, and the address of its page, to which each title with a key adds its order. */
export interface Sorting {
  address: string;
  /** What stands before the titles on a phone. */
  title: string;
  by: string;
  order: Direction;
}

/** A checkbox in each row, of a form that is elsewhere on the page. */
export interface Choice<Row> {
  /** The id of the form. */
  form: string;
  title: string;
  value: (row: Row) => string;
  /** What the row is called, for screen readers. */
  name: (row: Row) => string;
}

export interface TableOptions<Row> {
  title: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** The text of an empty table. */
  empty: Written;
  choice?: Choice<Row> | undefined;
  sorting?: Sorting | undefined;
  /** The rows have long texts, so that even few columns do not fit a phone. */
  hasLongTexts?: true;
}

/**
 * A table with more columns does not fit a phone. There, each row becomes a card that repeats the titles of the
 * columns.
 */
const columnsBeside = 3;

/**
 * A table. The first column is the header of the row. The ARIA roles are explicit, because cards would lose the roles
 * of a table.
 */
export function table<Row>({ title, columns, rows, empty, choice, sorting, hasLongTexts }: TableOptions<Row>): Html {
  if (rows.length === 0) return emptyCard(empty);
  const heads = columns.map((column) => headOf(column, sorting));
  const lines = rows.map((row) => {
    const cells = columns.map((column, index) => cellOf(column, row, index === 0));
    return html`<tr role="row">
      ${choice && choiceCell(choice, row)} ${cells}
    </tr>`;
  });
  const stacking = columns.length > columnsBeside || hasLongTexts ? 'stacking' : '';
  return html`<div class="table-scroll ${stacking}" tabindex="0" role="region" aria-label="${title}">
    <table role="table">
      <thead role="rowgroup" ${sorting && html`class="sortable" data-title="${sorting.title}"`}>
        <tr role="row">
          ${choice && html`<th scope="col" role="columnheader"><span class="visually-hidden">${choice.title}</span></th>`}
          ${heads}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${lines}
      </tbody>
    </table>
  </div>`;
}

/** What stands in place of a list without rows. */
export function emptyCard(text: Written, sign: IconName = 'inbox'): Html {
  return html`<div class="card empty">
    ${icon(sign)}
    <div>${text}</div>
  </div>`;
}

const ariaSort = { asc: 'ascending', desc: 'descending' } as const;

/** The title of a column. A second press on a sorted one turns the order around. The new order begins on its first page. */
function headOf<Row>({ title, isNumber, sort }: Column<Row>, sorting: Sorting | undefined): Html {
  const end = isNumber ? 'end' : '';
  if (!sort || !sorting) return html`<th scope="col" role="columnheader" class="${end}">${title}</th>`;
  const present = sorting.by === sort.by ? sorting.order : undefined;
  const order = present === undefined ? sort.first : present === 'asc' ? 'desc' : 'asc';
  const address = withParameters(sorting.address, { sort: sort.by, order, page: undefined, done: undefined });
  return html`<th
    scope="col"
    role="columnheader"
    class="${end} sort-title"
    ${present && html`aria-sort="${ariaSort[present]}"`}
  >
    <a href="${address}">${title} ${icon(present ? ariaSort[present] : 'unsorted')}</a>
  </th>`;
}

const choiceCell = <Row>({ form, title, value, name }: Choice<Row>, row: Row) =>
  html`<td role="cell" class="pick" data-title="${title}">
    <input type="checkbox" form="${form}" name="rows[]" value="${value(row)}" aria-label="${title}: ${name(row)}" />
  </td>`;

function cellOf<Row>({ title, cell, isNumber }: Column<Row>, row: Row, isFirst: boolean): Html {
  return isFirst
    ? html`<th scope="row" role="rowheader">${cell(row)}</th>`
    : html`<td role="cell" data-title="${title}" class="${isNumber ? 'end amount' : ''}">${cell(row)}</td>`;
}

export interface Counted {
  total: number;
  page: number;
  limit: number;
  /** The list has more rows than were counted. */
  hasMore?: boolean;
}

/** The number of the page, links to the other pages, and further links. */
export function pager(visit: Visit, { t }: Texts, { total, page, limit, hasMore }: Counted, beside?: Written): Html {
  if (total === 0 && page === 1) return html``;
  const last = Math.max(1, Math.ceil(total / limit));
  const place = hasMore === true ? t('common.pageOfMany', { page, total }) : t('common.pageOf', { page, last, total });
  const link = (to: number, text: string) => html`<a class="button slim" href="${withPage(visit, to)}">${text}</a>`;
  return html`<nav class="pager small" aria-label="${t('common.pages')}">
    <span class="quiet">${place}</span>
    ${page > 1 ? link(page - 1, t('common.previousPage')) : ''}
    ${page < last || hasMore === true ? link(page + 1, t('common.nextPage')) : ''} ${beside}
  </nav>`;
}

function withPage({ address }: Visit, page: number): string {
  return withParameters(address, { page: String(page), done: undefined });
}

/** The same URL with other parameters; undefined removes a parameter. */
export function withParameters(address: string, changes: Record<string, string | undefined>): string {
  const [path = '', query = ''] = address.split('?');
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') parameters.delete(name);
    else parameters.set(name, value);
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** The data of one object, as names and values. Empty values are left out. */
export function facts(pairs: readonly (readonly [name: string, value: Written])[]): Html {
  const known = pairs.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return html`<dl class="facts">
    ${known.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** The end of access for life: the last time that a 32-bit client can read. */
export const endOfTimeSeconds = 0x7fffffff;

/** A time in Unix seconds, on one line. 0 means no time. */
export function when(texts: Texts, seconds: number): string {
  return seconds === 0 ? '' : inOneLine(texts.dateTime(seconds));
}

export function day(texts: Texts, seconds: number): string {
  return seconds === 0 ? '' : inOneLine(texts.date(seconds));
}

/** A line can break only before the zone. */
const inOneLine = (text: string) => text.replaceAll(/ (?!\()/g, '\u00a0');

/** An e-mail address that can break at its `@` and its dots in a narrow column. */
export function breakable(address: string): Html {
  const parts = address.split(/(?=[@.])/);
  return html`${parts.map((part, index) => (index === 0 ? part : html`<wbr />${part}`))}`;
}
