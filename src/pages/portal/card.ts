import { z } from 'zod';
import { type Caller } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import { cardEndpoints } from '../../subscriptions/cards.endpoints';
import { findOwnAction, getCardEntry, type CardEntry, type ScriptAction } from '../../subscriptions/paymentForm';
import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { cardLabels, cardOf, cardText, newCardFields } from '../customer/cards';
import { paymentAction } from '../customer/paymentAction';
import { type AnswerOf } from '../layout/answers';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, form, select, submit } from '../layout/forms';
import { addressIn, good, inPortal, openPortal, pageId, type Portal, portalPath, showInPortal, text } from './frame';
import { emptyCard } from '../layout/lists';
import { isOfStore, isOver, isUnpaid, type SubscriptionRow } from './subscriptionState';

const atCard = { ...inPortal, path: `${portalPath}/card` } as const;

export const cardPages = {
  showCard: page({
    ...atCard,
    method: 'get',
    summary: 'The card that pays in each currency',
    query: z.object({ done: text, lang: text, setup_intent: z.string().max(100).optional() }),
    handler: async (visit) => {
      const { merchantId } = visit.caller;
      const { done, setup_intent: reference } = visit.query;
      const portal = await openPortal(visit);
      if (reference !== undefined) return continueCard(portal, visit.caller, reference);
      return cardPage(portal, { merchantId, isSaved: done === 'saved' });
    },
  }),
  saveCard: page({
    ...atCard,
    method: 'post',
    summary: 'Saves another card',
    form: z.object({
      payment_token: text,
      number: text,
      card_name: text,
      exp_month: text,
      exp_year: text,
      cvv: text,
      currency_iso: text,
    }),
    cardNumberFields: ['number'],
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const { currency_iso } = visit.form;
      const return_url = `${visit.origin}${addressIn(portal, 'card')}`;
      const body = { ...cardOf(visit.form), currency_iso, return_url };
      const outcome = await attempt(portal.texts, () => visit.call(cardEndpoints.setDefaultCard, { body }));
      if ('done' in outcome) return showSaved(portal, visit.caller, outcome.done);
      const { merchantId } = visit.caller;
      const typed = { name: visit.form.card_name, currency: currency_iso };
      return cardPage(portal, { merchantId, complaint: outcome.refused, ...typed });
    },
  }),
  answerCardAuthentication: page({
    ...inPortal,
    path: `${portalPath}/card/answered`,
    method: 'post',
    summary: 'Continues after the authentication of another card',
    form: z.object({ pi_id: z.string().max(100) }),
    handler: async (visit) => continueCard(await openPortal(visit), visit.caller, visit.form.pi_id),
  }),
};

/** The answer for a card that its owner must authenticate. */
const WaitingCard = z.object({ redirect_to_url: z.string(), pi_id: z.string() });

type SavedCard = AnswerOf<typeof cardEndpoints.setDefaultCard>;

/** The page after a card was sent. The bank may require an authentication of the card first. */
async function showSaved(portal: Portal, caller: Caller, saved: SavedCard, isRepeated = false) {
  const waiting = WaitingCard.safeParse(saved);
  if (!waiting.success) return new Redirect(addressIn(portal, 'card', { done: 'saved' }));
  const { redirect_to_url: url, pi_id } = waiting.data;
  const action = await findOwnAction(caller, pi_id);
  return cardPage(portal, { merchantId: caller.merchantId, waits: { url, action, isRepeated } });
}

async function continueCard(portal: Portal, caller: Caller, pi_id: string) {
  const { visit, texts } = portal;
  const outcome = await attempt(texts, () => visit.call(cardEndpoints.setDefaultCard, { body: { pi_id } }));
  if ('done' in outcome) return showSaved(portal, caller, outcome.done, true);
  return cardPage(portal, { merchantId: caller.merchantId, complaint: outcome.refused });
}

/** A card that waits for the authentication of its owner, here or on the page of the bank. */
interface CardWait {
  url: string;
  action: ScriptAction | undefined;
  isRepeated: boolean;
}

function waitingSection({ visit, texts, ...portal }: Portal, { url, action, isRepeated }: CardWait): Html {
  const { t } = texts;
  const target = { action: addressIn(portal, 'card/answered'), target: pageId, name: 'card-authentication' };
  const bank = html`<p><a class="button main full" href="${url}" rel="noopener">${t('paywall.openBank')}</a></p>`;
  const content = action && paymentAction(texts, action, { isRepeated });
  return html`<section class="card stack slender">
    <h2 tabindex="-1" data-focus>${t('paywall.authenticate')}</h2>
    <p class="quiet" role="status">${t('links.confirmCardHint')}</p>
    ${content ? form(visit, { ...target, content }) : bank}
  </section>`;
}

interface CardState {
  merchantId: number;
  isSaved?: boolean;
  waits?: CardWait;
  complaint?: Complaint;
  name?: string | undefined;
  currency?: string | undefined;
}

async function cardPage(portal: Portal, state: CardState): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const [{ cards }, { collection: rows }, entry] = await Promise.all([
    visit.call(cardEndpoints.listDefaultCards),
    visit.call(subscriptionEndpoints.listSubscriptions, { query: { limit: '100' } }),
    getCardEntry(state.merchantId),
  ]);
  const paying = rows.filter((row) => !isOver(row) && !isOfStore(row));
  const saved = Object.values(cards).map(
    (card) =>
      html`<li>
        <div class="tight">
          <p class="strong">${cardText(texts, card)}</p>
          <p class="quiet small">
            ${card.exp_year === '' ? t('portal.card.paysWithLink', { currency: card.currency }) : t('portal.card.pays', { currency: card.currency, month: card.exp_month, year: card.exp_year })}
          </p>
        </div>
      </li>`,
  );
  const currencies = [...new Set([...paying.map(({ currency }) => currency), ...Object.keys(cards)])].sort();
  const list = html`<section class="stack">
    <h2>${t('portal.card.saved')}</h2>
    <ul class="card entries">
      ${saved}
    </ul>
  </section>`;
  const content = html`${saved.length === 0 ? emptyCard(t('portal.card.none'), 'transactions') : list}
  ${state.waits ? waitingSection(portal, state.waits) : currencies.length > 0 && cardForm(portal, { currencies, entry }, state)}`;
  const notice = state.isSaved ? noticeOf(portal, paying.filter(isUnpaid)) : undefined;
  const position = { section: 'card', title: t('portal.sections.card'), notice, paymentForm: entry.form } as const;
  return showInPortal(portal, position, content, state.complaint ? { status: 422 } : {});
}

/** Links to the subscriptions whose overdue charge is retried with the new card. */
function noticeOf(portal: Portal, unpaid: readonly SubscriptionRow[]): Html {
  const { t } = portal.texts;
  const links = unpaid.map(
    ({ subscription_id, item_title }) =>
      html`<p class="alert">
        ${t('portal.card.overdue')}
        <a href="${addressIn(portal, `subscriptions/${subscription_id}`)}"
          >${t('portal.card.seeSubscription')}: ${item_title}</a
        >
      </p>`,
  );
  return html`${good(t('portal.done.cardSaved'))} ${links}`;
}

interface CardChoice {
  currencies: readonly string[];
  entry: CardEntry;
}

function cardForm(portal: Portal, { currencies, entry }: CardChoice, { complaint, name, currency }: CardState): Html {
  const { texts, visit } = portal;
  const { t } = texts;
  const [only = ''] = currencies;
  const label = t('portal.card.currency');
  const choice =
    currencies.length === 1
      ? html`<input type="hidden" name="currency_iso" value="${only}" />`
      : select(texts, {
          name: 'currency_iso',
          label,
          value: currency ?? only,
          choices: currencies.map((code) => [code, code] as const),
          isRequired: true,
          complaint,
        });
  const labels = { ...cardLabels(texts, entry), ...(currencies.length > 1 && { currency_iso: label }) };
  const content = html`${complaints(texts, complaint, labels)} ${choice}
  ${newCardFields(texts, { entry, purpose: { amount: 0, currency: currency ?? only }, complaint, name })}
  ${submit(t('portal.card.save'), { isFull: true })}`;
  return html`<section class="card stack slender">
    <h2>${t('portal.card.change')}</h2>
    <p class="quiet">${t('portal.card.changeHint')}</p>
    ${form(visit, { action: addressIn(portal, 'card'), target: pageId, content, name: 'card' })}
  </section>`;
}
