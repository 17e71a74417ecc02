import { html, type Html, type Written } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { type Texts } from './texts';

/** Lists, facts and times as pages show them. */

export interface Column<Row> {
  title: string;
  cell: (row: Row) => Written;
  /** Of numbers: they stand below each other. */
  isNumber?: true;
}

export interface TableOptions<Row> {
  title: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What is said where there are none. */
  empty: Written;
}

/** The first column is what a row is called. */
export function table<Row>({ title, columns, rows, empty }: TableOptions<Row>): Html {
  if (rows.length === 0) return html`<div class="card empty">${empty}</div>`;
  const heads = columns.map(
    ({ title: head, isNumber }) => html`<th scope="col" class="${isNumber ? 'end' : ''}">${head}</th>`,
  );
  const lines = rows.map((row) => {
    const cells = columns.map(({ cell, isNumber }, index) =>
      index === 0
        ? html`<th scope="row">${cell(row)}</th>`
        : html`<td class="${isNumber ? 'end amount' : ''}">${cell(row)}</td>`,
    );
    return html`<tr>
      ${cells}
    </tr>`;
  });
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="${title}">
    <table>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${lines}
      </tbody>
    </table>
  </div>`;
}

export interface Counted {
  total: number;
  page: number;
  limit: number;
}

/** Which part of a list this is, the way to the others, and what else is of use there. */
export function pager(visit: Visit, { t }: Texts, { total, page, limit }: Counted, beside?: Written): Html {
  const last = Math.max(1, Math.ceil(total / limit));
  const link = (to: number, text: string) => html`<a class="button slim" href="${withPage(visit, to)}">${text}</a>`;
  return html`<nav class="pager small" aria-label="${t('common.pages')}">
    <span>${page > 1 ? link(page - 1, t('common.previousPage')) : ''}</span>
    <span class="quiet">${t('common.pageOf', { page, last, total })}</span>
    <span>${page < last ? link(page + 1, t('common.nextPage')) : ''}</span>
    ${beside}
  </nav>`;
}

function withPage({ address }: Visit, page: number): string {
  return withParameters(address, { page: String(page), done: undefined });
}

/** The same address with other parameters; undefined takes one away. */
export function withParameters(address: string, changes: Record<string, string | undefined>): string {
  const [path = '', query = ''] = address.split('?');
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') parameters.delete(name);
    else parameters.set(name, value);
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Name and value of what is known of one thing; what there is none of is left out. */
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

/** Unix seconds, 0 for none. */
export function when(texts: Texts, seconds: number): string {
  return seconds === 0 ? '' : texts.dateTime(seconds);
}

export function day(texts: Texts, seconds: number): string {
  return seconds === 0 ? '' : texts.date(seconds);
}
