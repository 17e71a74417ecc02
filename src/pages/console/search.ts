import { z } from 'zod';
import { registeredUserEndpoints } from '../../accounts/registeredUsers.endpoints';
import { findReferences, type Reference } from '../../customers/references';
import { findCodesOfText } from '../../items/accessCodes';
import { itemEndpoints } from '../../items/items.endpoints';
import { signedIn } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { page, type PageResponse, Redirect } from '../../kit/pages/page';
import { findVoucherOfCode } from '../../vouchers/vouchers';
import { emptyCard } from '../layout/lists';
import { named, type Texts, textsFor } from '../layout/texts';
import { inConsole, type MerchantVisit, showInConsole } from './frame';
import { breakable, mayDo, termOf } from './lists';
import { searchableKinds, type SearchKindName } from './searchBox';

/** The limit of the search terms of lists. */
const termMax = 200;
const shownMax = 5;
/** If more customers have the text, the search reads them in the order of their list. */
const countedMax = 1_000;

export const searchPages = {
  searchConsole: page({
    ...inConsole,
    auth: signedIn(),
    method: 'get',
    path: '/console/search',
    summary: 'Search for customers, items, codes and tokens of payments',
    query: z.object({ query: z.string().optional() }),
    handler: (visit) => searchPage(visit, (visit.query.query ?? '').trim()),
  }),
};

interface Hit {
  address: string;
  text: string;
  hint: string;
}

interface Hits {
  hits: Hit[];
  /** The list with the same search, if it has more. */
  more?: string | undefined;
}

async function searchPage(visit: MerchantVisit, term: string): Promise<PageResponse | Redirect> {
  const kinds = searchableKinds(visit);
  if (visit.caller.lacksFactor) throw new AppError('second_factor_missing');
  if (kinds.length === 0) throw new AppError('forbidden');
  const texts = textsFor(visit);
  const { t } = texts;
  if (term === '') return answer(visit, texts, term, emptyCard(t('console.search.hint'), 'search'));
  if (term.length > termMax) {
    const refusal = html`<p class="alert bad" role="alert">${t('console.search.tooLong', { count: termMax })}</p>`;
    return answer(visit, texts, '', refusal, 422);
  }
  const found = await Promise.all(kinds.map(async (kind) => ({ kind, ...(await finders[kind](visit, texts, term)) })));
  const groups = found.filter(({ hits }) => hits.length > 0);
  const [only] = groups;
  const [hit] = only?.hits ?? [];
  if (groups.length === 1 && only?.kind === 'references' && only.hits.length === 1 && hit)
    return new Redirect(hit.address);
  const content = groups.length > 0 ? groups.map((group) => groupCard(texts, group)) : nothing(texts, term);
  return answer(visit, texts, term, html`${content}`);
}

function answer(visit: MerchantVisit, texts: Texts, term: string, content: Html, status: 200 | 422 = 200) {
  const place = { section: 'search', title: texts.t('console.search.title'), term } as const;
  return showInConsole(visit, place, content, { status });
}

const nothing = ({ t }: Texts, term: string) => emptyCard(t('console.search.none', { term }));

function groupCard({ t }: Texts, { kind, hits, more }: Hits & { kind: SearchKindName }): Html {
  const title = t(`console.search.${kind}`);
  const rows = hits.map(
    ({ address, text, hint }) =>
      html`<li>
        <a href="${address}"><bdi>${breakable(text)}</bdi></a> <bdi class="quiet small">${hint}</bdi>
      </li>`,
  );
  const rest = more !== undefined && html`<p><a href="${more}">${t('console.search.more', { kind: title })}</a></p>`;
  return html`<section class="card stack found">
    <h2>${title}</h2>
    <ul>
      ${rows}
    </ul>
    ${rest}
  </section>`;
}

type Finder = (visit: MerchantVisit, texts: Texts, term: string) => Promise<Hits>;

const finders: Record<SearchKindName, Finder> = {
  references: async (visit, texts, term) => {
    const hits = (await findReferences(visit.caller, term)).map((reference) => ({
      address: addressOf(visit, reference),
      text: reference.token,
      hint: `${named(texts, 'search.tokens', reference.kind)} · ${reference.itemTitle}`,
    }));
    return { hits };
  },

  customers: async ({ call }, _texts, term) => {
    const query = { search: [termOf(term)], active: 'all', limit: shownMax, total_up_to: countedMax };
    const { collection, total } = await call(registeredUserEndpoints.listRegisteredUsers, { query });
    const hits = collection.map(({ id, email, full_name: hint }) => ({
      address: `/console/customers/${id}`,
      text: email,
      hint,
    }));
    return { hits, more: moreIn('/console/customers', total, { search: term }) };
  },

  items: async ({ call }, texts, term) => {
    const query = { search: [`title:${term}`], active: 'all', limit: shownMax };
    const { collection, total } = await call(itemEndpoints.listItems, { query });
    const hits = collection.map(({ id, title: text, item_type }) => ({
      address: `/console/items/${id}`,
      text,
      hint: named(texts, 'itemTypes', item_type.name),
    }));
    return { hits, more: moreIn('/console/items', total, { search: term, active: 'all' }) };
  },

  accessCodes: async ({ caller }, _texts, term) => {
    const codes = await findCodesOfText(caller, term, shownMax);
    const hits = codes.map(({ id, itemId, code: text, itemTitle: hint }) => ({
      address: `/console/items/${itemId}/codes/${id}`,
      text,
      hint,
    }));
    return { hits };
  },

  vouchers: async ({ caller }, _texts, term) => {
    const voucher = await findVoucherOfCode(caller, term);
    if (!voucher) return { hits: [] };
    const { id, code: text, name: hint } = voucher;
    return { hits: [{ address: `/console/vouchers/${id}`, text, hint }] };
  },
};

const moreIn = (address: string, total: number, query: Record<string, string>) =>
  total > shownMax ? `${address}?${new URLSearchParams(query).toString()}` : undefined;

/** The page of a token. The page of a charge is for those who may refund it; others get the nearest page. */
function addressOf(visit: MerchantVisit, { kind, accountId, subscriptionToken, trxToken }: Reference): string {
  const subscription = `/console/subscriptions/${subscriptionToken ?? ''}`;
  if (kind === 'subscription') return subscription;
  if (trxToken !== null && mayDo(visit, 'payments:write')) return `/console/transactions/${trxToken}/refund`;
  if (subscriptionToken !== null) return subscription;
  return mayDo(visit, 'accounts:read') ? `/console/customers/${accountId}` : '/console/transactions';
}
