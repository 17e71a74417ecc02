import { type Auth, mayCall, merchant } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { icon } from '../layout/icons';
import { type Texts } from '../layout/texts';

/** The search box in the banner of the console, and what it finds for whom. */

interface SearchKind {
  auth: Auth;
  feature?: string;
}

/** In the order of the results. The rights are those of the sections that show the same rows. */
const kinds = {
  references: { auth: merchant('payments:read') },
  customers: { auth: merchant('accounts:read') },
  items: { auth: merchant('items:read') },
  accessCodes: { auth: merchant('items:read') },
  vouchers: { auth: merchant('vouchers:read'), feature: 'vouchers' },
} as const satisfies Record<string, SearchKind>;
export type SearchKindName = keyof typeof kinds;

/** What the visitor may find. */
export function searchableKinds({ caller, isOff }: Visit): SearchKindName[] {
  return Object.entries(kinds as Record<SearchKindName, SearchKind>)
    .filter(([, { auth, feature }]) => caller && mayCall(auth, caller) && (feature === undefined || !isOff(feature)))
    .map(([name]) => name as SearchKindName);
}

/** Enter submits it. A button named like those of the lists would be ambiguous for screen readers. */
export function searchBox(visit: Visit, { t }: Texts, term = ''): Html {
  if (searchableKinds(visit).length === 0) return html``;
  const label = t('console.search.label');
  return html`<form method="get" action="/console/search" class="search-box" role="search" aria-label="${label}">
    <label class="visually-hidden" for="search-everywhere">${label}</label>
    ${icon('search')}
    <input
      id="search-everywhere"
      name="query"
      type="search"
      value="${term}"
      placeholder="${label}"
      autocomplete="off"
      enterkeyhint="search"
    />
  </form>`;
}
