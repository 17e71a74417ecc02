import { z } from 'zod';
import { html, type Html } from '../../kit/html';
import { page, type PageResponse } from '../../kit/pages/page';
import { giftEndpoints } from '../../vouchers/gifts.endpoints';
import { type RowOf } from '../layout/answers';
import { emptyCard, pager } from '../layout/lists';
import { inPortal, openPortal, paywallOf, type Portal, portalPath, showInPortal, text } from './frame';

export const giftPages = {
  showOwnGifts: page({
    ...inPortal,
    method: 'get',
    path: `${portalPath}/gifts`,
    summary: 'The gifts that a customer has bought or received',
    query: z.object({ page: text, lang: text }),
    handler: async (visit) => giftsPage(await openPortal(visit), visit.query.page),
  }),
};

type Gift = RowOf<typeof giftEndpoints.listOwnGifts>;

async function giftsPage(portal: Portal, at: string | undefined): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const listOf = (query: Record<string, unknown>) => visit.call(giftEndpoints.listOwnGifts, { query });
  const [received, bought] = await Promise.all([
    listOf({ direction: 'received', limit: '50' }),
    listOf({ direction: 'bought', limit: '20', page: at }),
  ]);
  const content = html`<section class="stack">
      <h2>${t('portal.gifts.received')}</h2>
      ${list(
        received.collection.map((gift) => receivedEntry(portal, gift)),
        t('portal.gifts.noneReceived'),
      )}
    </section>
    <section class="stack">
      <h2>${t('portal.gifts.bought')}</h2>
      ${list(
        bought.collection.map((gift) => boughtEntry(portal, gift)),
        t('portal.gifts.noneBought'),
      )}
      ${bought.total > bought.limit && pager(visit, texts, bought)}
    </section>`;
  return showInPortal(portal, { section: 'gifts', title: t('portal.sections.gifts') }, content);
}

function list(rows: readonly Html[], none: string): Html {
  if (rows.length === 0) return emptyCard(none, 'gift');
  return html`<ul class="card entries">
    ${rows}
  </ul>`;
}

function receivedEntry(portal: Portal, gift: Gift): Html {
  const { t } = portal.texts;
  const { item_title: title, status } = gift;
  const waits = status === 'bought' && !portal.visit.isOff('gifts');
  return html`<li>
    <div class="tight">
      <p class="strong"><bdi>${title}</bdi></p>
      <p class="quiet small"><bdi>${gift.access_fee_description}</bdi> · ${t(`portal.gifts.states.${status}`)}</p>
      ${waits && html`<p class="small">${t('portal.gifts.redeemHint')}</p>`}
    </div>
    ${
      waits &&
      html`<a
        class="button slim"
        href="${paywallOf(portal, gift.item_id)}"
        aria-label="${t('portal.gifts.redeemWhat', { title })}"
        >${t('portal.gifts.redeem')}</a
      >`
    }
  </li>`;
}

function boughtEntry({ texts }: Portal, gift: Gift): Html {
  const { t, date } = texts;
  const receiver =
    gift.receiver_email !== '' && html` · <bdi>${t('portal.gifts.for', { email: gift.receiver_email })}</bdi>`;
  const isLater = gift.status === 'bought' && gift.deliver_on > gift.created_at;
  return html`<li>
    <div class="tight">
      <p class="strong"><bdi>${gift.item_title}</bdi></p>
      <p class="quiet small"><bdi>${gift.access_fee_description}</bdi>${receiver} · ${date(gift.created_at)}</p>
      ${isLater && html`<p class="quiet small">${t('portal.gifts.deliveredOn', { date: date(gift.deliver_on) })}</p>`}
    </div>
    <span class="badge ${gift.status === 'redeemed' ? 'good' : ''}">${t(`portal.gifts.states.${gift.status}`)}</span>
  </li>`;
}
