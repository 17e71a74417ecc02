import { z } from 'zod';
import { html, type Html } from '../../kit/html';
import { page, type PageResponse } from '../../kit/pages/page';
import { AppError } from '../../kit/errors';
import { cancelOfferEndpoints } from '../../subscriptions/cancelOffers/cancelOffers.endpoints';
import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { isUnderWay, makeChange } from '../customer/subscriptionChanges';
import { durationText } from '../customer/fees';
import { type AnswerOf } from '../layout/answers';
import { attempt } from '../layout/explain';
import { form, submit } from '../layout/forms';
import { addressIn, inPortal, openPortal, pageId, type Portal, portalPath, showInPortal, text } from './frame';
import { type SubscriptionRow } from './subscriptionState';
import { redirectWithNotice, SubscriptionPlace, subscriptionPage } from './subscriptions';

const own = { ...inPortal, method: 'post', params: SubscriptionPlace } as const;
const address = `${portalPath}/subscriptions/{id}`;

/** A cancellation: the reason, then the merchant's offer. Without an offer, the first step cancels. */
export const cancellingPages = {
  cancelInPortal: page({
    ...own,
    path: `${address}/cancel`,
    summary: 'Cancels a subscription, or shows the merchant’s offer first',
    form: z.object({ why: text, reason: text, anyway: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { id } = visit.params;
      const { why = '', reason = '', anyway } = visit.form;
      const words = { why, reason };
      const offer = anyway === 'true' ? undefined : await findOffer(portal, id, why);
      if (offer) return offerPage(portal, id, offer, words);
      const body = { reason: [why, reason].filter((part) => part !== '').join(': ') };
      const outcome = await attempt(portal.texts, () => makeChange(portal.visit, 'cancel', { params: { id }, body }));
      if ('refused' in outcome) return subscriptionPage(portal, id, { complaint: outcome.refused });
      return redirectWithNotice(portal, id, { done: 'cancelled' }, isUnderWay(outcome.done));
    },
  }),
  keepWithOffer: page({
    ...own,
    path: `${address}/offer`,
    summary: 'Keeps a subscription with the merchant’s offer',
    form: z.object({ offer_id: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { id } = visit.params;
      const sent = { params: { id }, body: visit.form };
      const outcome = await attempt(portal.texts, () => visit.call(cancelOfferEndpoints.acceptCancelOffer, sent));
      if ('refused' in outcome) return subscriptionPage(portal, id, { complaint: outcome.refused });
      return redirectWithNotice(portal, id, { done: 'kept' }, isUnderWay(outcome.done));
    },
  }),
};

type Offer = AnswerOf<typeof cancelOfferEndpoints.makeCancelOffer>;

/** Undefined without an offer. A refusal of any kind does not keep the customer from the cancellation. */
async function findOffer({ visit }: Portal, id: string, reason: string): Promise<Offer | undefined> {
  try {
    return await visit.call(cancelOfferEndpoints.makeCancelOffer, { params: { id }, body: { reason } });
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** The offer with two buttons of the same kind. The words of the first step go along. */
async function offerPage(
  portal: Portal,
  id: string,
  offer: Offer,
  words: { why: string; reason: string },
): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const row = await visit.call(subscriptionEndpoints.getSubscription, { params: { id } });
  const back = addressIn(portal, `subscriptions/${id}`);
  const position = {
    section: 'subscriptions',
    title: t('portal.offer.title'),
    back: { address: back, text: row.item_title },
  } as const;
  const button = (name: string, path: string, label: string, fields: Html) =>
    form(visit, {
      action: `${back}/${path}`,
      target: pageId,
      name,
      content: html`${fields} ${submit(label, { kind: 'other', isFull: true })}`,
    });
  const hidden = (name: string, value: string | number) =>
    html`<input type="hidden" name="${name}" value="${value}" />`;
  const said = html`${hidden('anyway', 'true')} ${hidden('why', words.why)} ${hidden('reason', words.reason)}`;
  const content = html`<section class="card stack" aria-labelledby="offer">
    <h2 id="offer" tabindex="-1" data-focus>${headingOf(portal, offer)}</h2>
    <p>${explain(portal, row, offer)}</p>
    <p class="quiet">${t('portal.offer.otherwise', { date: texts.date(row.current_period_end) })}</p>
    <div class="halves wide">
      ${button('keep', 'offer', t('portal.offer.keep'), hidden('offer_id', offer.offer_id))}
      ${button('cancel', 'cancel', t('portal.offer.cancel'), said)}
    </div>
  </section>`;
  return showInPortal(portal, position, content);
}

function headingOf({ texts }: Portal, offer: Offer): string {
  const { t, percent } = texts;
  if (offer.kind === 'pause')
    return t('portal.offer.pause', { time: durationText(texts, offer.pause_months ?? 1, 'month') });
  if (offer.kind === 'plan') return t('portal.offer.plan', { plan: offer.access_fee_description ?? '' });
  return t('portal.offer.discount', { percent: percent(offer.percent ?? 0), count: offer.charges ?? 1 });
}

function explain({ texts }: Portal, row: SubscriptionRow, offer: Offer): string {
  const { t, money, date } = texts;
  const price = money(offer.amount, offer.currency);
  const starts = date(offer.effective_at);
  if (offer.kind === 'pause')
    return t('portal.offer.pauseHow', { date: starts, resumes: date(offer.resumes_at), price });
  if (offer.kind === 'plan') return t('portal.offer.planHow', { date: starts, price });
  const full = money(row.next_amount, row.currency);
  return t('portal.offer.discountHow', { date: starts, price, full });
}
