import { assetEndpoints } from '../../../items/assets.endpoints';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { cancelOfferEndpoints } from '../../../subscriptions/cancelOffers/cancelOffers.endpoints';
import { cancelReasons } from '../../customer/cancelReasons';
import { durationText } from '../../customer/fees';
import { type RowOf } from '../../layout/answers';
import { type Complaint } from '../../layout/explain';
import { complaints, field, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { findChoices } from '../catalogue/choices';
import { crudPages, type PageState } from '../crudPages';
import { filled, type Values } from '../fields';
import { confirmButton, formCard, type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { fileOf, mayDo, table, tabs } from '../lists';

const address = '/console/cancel-offers';
const offerKinds = ['pause', 'plan', 'discount'] as const;
const auth = merchant('payments:read');
const pages = crudPages({ address, auth, writing: merchant('settings:write'), list: offersPage });
const { createCancelOffer, endCancelOffer, listCancelOffers } = cancelOfferEndpoints;

/** Offers to customers who are about to cancel, with what customers decided. */
export const cancelOfferPages = {
  showCancelOffers: pages.list('The offers before a cancellation'),
  createCancelOfferInConsole: pages.create('Creates an offer', ({ call, form }) =>
    call(createCancelOffer, { body: form }),
  ),
  endCancelOfferInConsole: pages.delete('Ends an offer', ({ call, params }) => call(endCancelOffer, { params }), {
    again: offersPage,
    next: `${address}?done=changed`,
  }),
};

/** The tabs of subscriptions and of the offers to keep them. */
export const subscriptionTabs = ({ t }: Texts, current: string): Html =>
  tabs(
    t('console.sections.subscriptions'),
    { '/console/subscriptions': t('console.sections.subscriptions'), [address]: t('console.cancelOffers.title') },
    current,
  );

type Offer = RowOf<typeof listCancelOffers>;

async function offersPage(
  visit: MerchantVisit,
  { complaint, values = {}, done, find }: PageState,
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { collection: rows } = await visit.call(listCancelOffers, {});
  const place = { section: 'subscriptions', title: t('console.cancelOffers.title'), done } as const;
  const itemId = typeof values['item_id'] === 'string' ? values['item_id'] : find;
  const content = html`${subscriptionTabs(texts, address)}
    <p class="quiet">${t('console.cancelOffers.explain')}</p>
    ${offerTable(visit, texts, rows)} ${fileOf(visit, texts, rows, { list: 'cancel-offers', query: {} })}
    ${mayDo(visit, 'settings:write') && (await newOffer(visit, texts, { complaint, values, itemId }))}`;
  return showInConsole(visit, place, content, refusedIf(complaint));
}

function offerTable(visit: MerchantVisit, texts: Texts, rows: readonly Offer[]): Html {
  const { t, number, percent } = texts;
  const end = ({ id, ended_at }: Offer) => {
    if (ended_at !== 0) return html`<span class="badge">${t('console.cancelOffers.ended')}</span>`;
    if (!mayDo(visit, 'settings:write')) return '';
    const label = t('console.cancelOffers.end');
    return confirmButton(visit, {
      action: `${address}/${id}/delete`,
      label,
      question: t('console.cancelOffers.endQuestion'),
    });
  };
  return table<Offer>({
    title: t('console.cancelOffers.title'),
    rows,
    empty: t('console.cancelOffers.none'),
    columns: [
      { title: t('console.cancelOffers.offer'), cell: (offer) => termsOf(texts, offer) },
      {
        title: t('console.fields.item'),
        cell: ({ item_id, item_title }) =>
          item_id === null ? t('console.all') : html`<a href="/console/items/${item_id}">${item_title ?? ''}</a>`,
      },
      {
        title: t('console.cancelOffers.reason'),
        cell: ({ reason }) => (reason === null ? t('console.all') : t(`portal.cancelReasons.${reason}`)),
      },
      { title: t('console.cancelOffers.shown'), cell: ({ shown }) => number(shown), isNumber: true },
      { title: t('console.cancelOffers.accepted'), cell: ({ accepted }) => number(accepted), isNumber: true },
      { title: t('console.cancelOffers.refused'), cell: ({ refused }) => number(refused), isNumber: true },
      {
        title: t('console.cancelOffers.share'),
        cell: ({ share }) => (share === null ? '' : percent(share)),
        isNumber: true,
      },
      { title: t('console.fields.actions'), cell: end },
    ],
  });
}

/** The offer in the words that customers read. */
function termsOf(texts: Texts, offer: Offer): string {
  const { t, percent } = texts;
  if (offer.kind === 'pause')
    return t('portal.offer.pause', { time: durationText(texts, offer.pause_months ?? 1, 'month') });
  if (offer.kind === 'plan') return t('portal.offer.plan', { plan: offer.access_fee_description ?? '' });
  return t('portal.offer.discount', { percent: percent(offer.percent ?? 0), count: offer.charges ?? 1 });
}

interface NewOffer {
  complaint: Complaint | undefined;
  values: Values;
  /** The chosen item, whose plans can be offered. */
  itemId: string | undefined;
}

const fieldNames = ['kind', 'reason', 'percent', 'charges', 'pause_months', 'access_fee_id', 'item_id'];

/** The form of a new offer. The choice of an item before it fills the menu of plans. */
async function newOffer(visit: MerchantVisit, texts: Texts, { complaint, values, itemId }: NewOffer): Promise<Html> {
  const { t } = texts;
  const items = mayDo(visit, 'items:read') ? await findChoices(visit, undefined) : [];
  const item = items.find(({ id }) => String(id) === itemId);
  const menu = items.map(({ id, title }) => [String(id), title] as const);
  const choose = html`<form method="get" action="${address}" class="filters">
    ${select(texts, { name: 'find', value: itemId, label: t('console.fields.item'), choices: [['', t('console.all')], ...menu] })}
    ${submit(t('console.cancelOffers.choose'), { kind: 'other' })}
  </form>`;
  const known = filled(values, complaint);
  const reasons = cancelReasons.map((reason) => [reason, t(`portal.cancelReasons.${reason}`)] as const);
  const kinds = offerKinds.map((kind) => [kind, t(`console.cancelOffers.kinds.${kind}`)] as const);
  const content = html`${complaints(texts, complaint, fieldNames)}
    ${item && html`<input type="hidden" name="item_id" value="${item.id}" />`}
    <div class="halves">
      ${select(texts, { ...known('kind'), label: t('console.fields.type'), choices: item ? kinds : kinds.filter(([kind]) => kind !== 'plan'), isRequired: true })}
      ${select(texts, { ...known('reason'), label: t('console.cancelOffers.reason'), choices: [['', t('console.all')], ...reasons] })}
    </div>
    <div class="halves">
      ${field(texts, { ...known('percent'), label: t('console.cancelOffers.percent'), inputmode: 'numeric' })}
      ${field(texts, { ...known('charges'), label: t('console.cancelOffers.charges'), inputmode: 'numeric' })}
      ${field(texts, { ...known('pause_months'), label: t('console.cancelOffers.months'), inputmode: 'numeric' })}
    </div>
    ${item && (await planField(visit, texts, { ...known('access_fee_id'), itemId: item.id }))}
    ${submit(t('console.cancelOffers.create'))}`;
  return html`<section class="stack" id="new">
    ${choose} ${formCard(visit, address, content, t('console.cancelOffers.create'))}
  </section>`;
}

async function planField(
  visit: MerchantVisit,
  texts: Texts,
  { itemId, ...known }: ReturnType<ReturnType<typeof filled>> & { itemId: number },
): Promise<Html> {
  const { t, money } = texts;
  const params = { merchant_uuid: visit.caller.merchantUuid, id: String(itemId) };
  const { access_fees } = await visit.call(assetEndpoints.getMerchantItem, { params });
  const plans = access_fees.filter(({ access_type }) => access_type.name === 'subscription');
  const choices = plans.map(
    (fee) => [String(fee.id), `${fee.description}, ${money(fee.amount, fee.currency)}`] as const,
  );
  return select(texts, { ...known, label: t('console.cancelOffers.plan'), choices: [['', ''], ...choices] });
}
