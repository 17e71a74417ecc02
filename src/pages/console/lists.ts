import { mayCall, merchant } from '../../kit/auth';
import { html, type Html, type Written } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { field, submit } from '../layout/forms';
import { type Counted, pager as plainPager, withParameters } from '../layout/lists';
import { type Texts } from '../layout/texts';
import { named } from './frame';

export { type Column, day, facts, table, when, withParameters } from '../layout/lists';

/** What the console searches, counts and shows states with. */

/** What is asked for, without what was left empty. */
export function given(query: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
}

export function searchForm(texts: Texts, action: string, search: string, hint?: string): Html {
  const { t } = texts;
  return html`<form method="get" action="${action}" class="card filters" role="search">
    ${field(texts, { name: 'search', type: 'search', label: hint ?? t('common.search'), value: search, isRequired: true })}
    ${submit(t('common.search'), { kind: 'other' })}
  </form>`;
}

/** The way between pages that belong together, each by its address. */
export function tabs(title: string, pages: Record<string, string>, current: string): Html {
  const links = Object.entries(pages).map(([address, text]) => {
    const isCurrent = address === current ? html`aria-current="page"` : '';
    return html`<li><a href="${address}" ${isCurrent}>${text}</a></li>`;
  });
  return html`<nav aria-label="${title}">
    <ul class="tabs">
      ${links}
    </ul>
  </nav>`;
}

/** The lists that there are files of. */
export type CsvList =
  'customers' | 'subscriptions' | 'transactions' | 'vouchers' | 'items' | 'movements' | 'transitions';

/** Which part of a list this is, the way to the others, and to all of it as a file. */
export function pager(visit: Visit, texts: Texts, counted: Counted, csv?: CsvList): Html {
  if (csv === undefined || counted.total === 0 || !mayDownload(visit)) return plainPager(visit, texts, counted);
  const file = html`<a class="button slim" href="${csvAddress(visit, csv)}" download>${texts.t('console.csv')}</a>`;
  return plainPager(visit, texts, counted, file);
}

const mayDownload = ({ caller }: Visit) => caller !== undefined && mayCall(merchant('reports:read'), caller);

/** Transactions as they were asked for; of the other lists there is one file. */
function csvAddress({ address }: Visit, list: CsvList): string {
  const path = `/console/csv/${list}`;
  const query = address.startsWith('/console/reports/transactions?') ? address.split('?')[1] : undefined;
  return withParameters(query === undefined ? path : `${path}?${query}`, { page: undefined });
}

/** A number that matters, large. */
export function stat(name: Written, value: Written, note?: Written): Html {
  return html`<div class="card stat">
    <dl>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </dl>
    ${note === undefined ? '' : html`<p class="small quiet">${note}</p>`}
  </div>`;
}

const kinds: Record<string, string> = {
  active: 'good',
  paid: 'good',
  sent: 'good',
  delivered: 'good',
  redeemed: 'good',
  trialing: 'note',
  bought: 'note',
  charge: 'good',
  recurrent: 'good',
  refund: 'bad',
  past_due: 'warn',
  on_hold: 'warn',
  paused: 'warn',
  incomplete: 'warn',
  revoked: 'bad',
  failed: 'bad',
  refunded: 'bad',
};

/** A state in words, with its colour. */
export function badge(texts: Texts, state: string): Html {
  return html`<span class="badge ${kinds[state] ?? ''}">${named(texts, 'states', state)}</span>`;
}
