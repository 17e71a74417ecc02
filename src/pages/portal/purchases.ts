import { z } from 'zod';
import { purchaseEndpoints } from '../../customers/purchases.endpoints';
import { html, type Html } from '../../kit/html';
import { page, type PageResponse } from '../../kit/pages/page';
import { type RowOf } from '../layout/answers';
import { emptyCard, endOfTimeSeconds, pager } from '../layout/lists';
import { type Texts } from '../layout/texts';
import { addressIn, inPortal, openPortal, paywallOf, type Portal, portalPath, showInPortal, text } from './frame';

/** The current and past accesses of a customer, from every source. */
export const purchasePages = {
  showPurchases: page({
    ...inPortal,
    method: 'get',
    path: `${portalPath}/purchases`,
    summary: 'The accesses of a customer',
    query: z.object({ page: text, status: text, lang: text }),
    handler: async (visit) => purchasesPage(await openPortal(visit), visit.query),
  }),
};

type Purchase = RowOf<typeof purchaseEndpoints.listPurchases>;

async function purchasesPage(
  portal: Portal,
  { page: at, status }: { page?: string | undefined; status?: string | undefined },
): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const isAll = status === 'all';
  const query = { page: at, limit: '20', status: isAll ? 'all' : 'active' };
  const found = await visit.call(purchaseEndpoints.listPurchases, { query });
  const tab = (isOfAll: boolean) => {
    const to = addressIn(portal, 'purchases', isOfAll ? { status: 'all' } : {});
    const isCurrent = isOfAll === isAll ? html`aria-current="page"` : '';
    return html`<li>
      <a href="${to}" ${isCurrent}>${t(isOfAll ? 'portal.purchases.all' : 'portal.purchases.current')}</a>
    </li>`;
  };
  const none = emptyCard(t(isAll ? 'portal.purchases.noneAtAll' : 'portal.purchases.none'), 'bag');
  const content = html`<nav aria-label="${t('portal.purchases.show')}">
      <ul class="tabs">
        ${tab(false)}${tab(true)}
      </ul>
    </nav>
    ${found.collection.length === 0 ? none : list(portal, found.collection)}
    ${found.total > found.limit && pager(visit, texts, found)}`;
  return showInPortal(portal, { section: 'purchases', title: t('portal.sections.purchases') }, content);
}

function list(portal: Portal, purchases: readonly Purchase[]): Html {
  const rows = purchases.map((purchase) => entry(portal, purchase));
  return html`<ul class="card entries">
    ${rows}
  </ul>`;
}

function entry(portal: Portal, purchase: Purchase): Html {
  const { texts } = portal;
  const { t } = texts;
  const { item_title: title, type, purchased_access_fee_description: fee } = purchase;
  const isOpen = type === 'purchased' || type === 'granted';
  return html`<li>
    <div class="tight">
      <p class="strong"><bdi>${title}</bdi></p>
      <p class="quiet small">
        ${t(`portal.purchases.types.${type}`)}${fee !== '' && html` · <bdi>${fee}</bdi>`} ·
        ${lasts(texts, purchase, isOpen)}
      </p>
    </div>
    ${
      isOpen &&
      html`<a
        class="button slim"
        href="${paywallOf(portal, purchase.item_id)}"
        aria-label="${t('portal.purchases.openWhat', { title })}"
        >${t('portal.purchases.open')}</a
      >`
    }
  </li>`;
}

function lasts({ t, date }: Texts, { expires_at: end }: Purchase, isOpen: boolean): string {
  if (end >= endOfTimeSeconds) return t('portal.purchases.forEver');
  return t(isOpen ? 'portal.purchases.until' : 'portal.purchases.endedOn', { date: date(end) });
}
