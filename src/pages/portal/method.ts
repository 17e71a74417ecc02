import { z } from 'zod';
import { html, type Html } from '../../kit/html';
import { page, type PageResponse } from '../../kit/pages/page';
import { paymentMethods } from '../../kit/paymentMethods';
import { cardEndpoints } from '../../subscriptions/cards.endpoints';
import { subscriptionChangeEndpoints } from '../../subscriptions/changes/changes.endpoints';
import { mandateEndpoints } from '../../subscriptions/methods/mandates.endpoints';
import { renewsTooOften } from '../../subscriptions/methods/methods';
import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { accountComplaint, accountFields, accountLabels, accountOf } from '../customer/bankAccounts';
import { cardText } from '../customer/cards';
import { listMeans } from '../customer/means';
import { isUnderWay } from '../customer/subscriptionChanges';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, form, radios, submit } from '../layout/forms';
import { addressIn, inPortal, openPortal, pageId, type Portal, portalPath, showInPortal, text } from './frame';
import { type SubscriptionRow } from './subscriptionState';
import { redirectWithNotice, SubscriptionPlace } from './subscriptions';

const atMethod = {
  ...inPortal,
  path: `${portalPath}/subscriptions/{id}/payment-method`,
  params: SubscriptionPlace,
} as const;

/** The change of the payment method of one subscription: a saved card, or a bank account. */
export const methodPages = {
  showPaymentMethod: page({
    ...atMethod,
    method: 'get',
    summary: 'The methods that can pay for a subscription from now on',
    query: z.object({ lang: text }),
    handler: async (visit) => methodPage(await openPortal(visit), visit.params.id, {}),
  }),
  changePaymentMethodInPortal: page({
    ...atMethod,
    method: 'post',
    summary: 'Pays for a subscription by another method from now on',
    form: z.object({ card: text, holder_name: text, iban: text }),
    // The digits of an IBAN may look like a card number.
    cardNumberFields: ['iban'],
    handler: async (visit) => changeMethod(await openPortal(visit), visit.params.id, visit.form),
  }),
};

interface MethodForm {
  card?: string | undefined;
  holder_name?: string | undefined;
  iban?: string | undefined;
}

async function changeMethod(portal: Portal, id: string, sent: MethodForm) {
  const { visit, texts } = portal;
  if (sent.card === 'new-debit') {
    const body = accountOf(sent);
    const signed = await attempt(texts, () => visit.callOnce(mandateEndpoints.createMandate, { body }));
    if ('refused' in signed) return methodPage(portal, id, { sent, complaint: accountComplaint(signed.refused) });
  }
  const { title } = paymentMethods[sent.card === 'saved' ? 'card' : 'direct_debit'];
  const changed = { params: { id }, body: { payment_method: title } };
  const outcome = await attempt(texts, () => visit.call(subscriptionChangeEndpoints.changePaymentMethod, changed));
  if ('done' in outcome)
    return redirectWithNotice(portal, id, { done: 'methodChanged', method: title }, isUnderWay(outcome.done));
  // The mandate is stored, so the next attempt does not need the bank account again.
  const choice = sent.card === 'new-debit' ? { card: 'debit' } : sent;
  return methodPage(portal, id, { sent: choice, complaint: outcome.refused });
}

interface MethodState {
  sent?: MethodForm | undefined;
  complaint?: Complaint | undefined;
}

async function methodPage(portal: Portal, id: string, { sent, complaint }: MethodState): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const row = await visit.call(subscriptionEndpoints.getSubscription, { params: { id } });
  const choices = await choicesFor(portal, row);
  const back = addressIn(portal, `subscriptions/${id}`);
  const labels = { ...accountLabels(texts), payment_method: t('paywall.payWith') };
  const position = {
    section: 'subscriptions',
    title: t('portal.method.title'),
    back: { address: back, text: row.item_title },
    notice: complaints(texts, complaint, labels),
  } as const;
  const content = html`${choices.length > 0 && choiceForm(portal, row, choices, { sent, complaint })}
    <section class="card stack slender">
      <p>${t('portal.method.newCardHint', { currency: row.currency })}</p>
      <p><a class="button" href="${addressIn(portal, 'card')}">${t('portal.method.newCard')}</a></p>
    </section>`;
  return showInPortal(portal, position, content, complaint ? { status: 422 } : {});
}

interface Choice {
  value: 'saved' | 'debit' | 'new-debit';
  text: string;
}

async function choicesFor(portal: Portal, row: SubscriptionRow): Promise<Choice[]> {
  const { visit, texts } = portal;
  const { t } = texts;
  const { currency, access_type: plan } = row;
  const [{ cards }, means] = await Promise.all([
    visit.call(cardEndpoints.listDefaultCards),
    listMeans(portal, { currency }),
  ]);
  const card = means.takesCards ? cards[currency] : undefined;
  const { savedAccount: digits } = means;
  const takesDebits = means.takesDebits && !renewsTooOften(plan);
  return [
    ...(card ? [{ value: 'saved', text: cardText(texts, card) } as const] : []),
    ...(takesDebits && digits !== undefined
      ? [{ value: 'debit', text: t('paywall.savedAccount', { digits }) } as const]
      : []),
    ...(takesDebits
      ? [{ value: 'new-debit', text: t(digits === undefined ? 'paywall.sepaDebit' : 'paywall.otherAccount') } as const]
      : []),
  ];
}

function choiceForm(
  portal: Portal,
  row: SubscriptionRow,
  choices: readonly Choice[],
  { sent, complaint }: MethodState,
): Html {
  const { texts, visit, theme } = portal;
  const { t } = texts;
  const present = row.payment_method_name === paymentMethods.card.title ? 'saved' : 'debit';
  const wanted = [sent?.card, present].map((name) => choices.find(({ value }) => value === name)).find((one) => one);
  const value = (wanted ?? choices[0])?.value;
  const shown = choices.map((one) => ({ value: one.value, content: html`<span>${one.text}</span>` }));
  const account = accountFields(texts, { complaint, name: sent?.holder_name, seller: theme.name });
  const takesNew = choices.some((one) => one.value === 'new-debit');
  const content = html`<p class="quiet">${t('portal.method.hint')}</p>
    ${radios({ name: 'card', label: t('paywall.payWith'), value, choices: shown })}
    ${takesNew && html`<div class="if-new-account">${account}</div>`}
    ${submit(t('portal.method.save'), { isFull: true })}`;
  const action = addressIn(portal, `subscriptions/${row.subscription_id}/payment-method`);
  return html`<section class="card stack slender">
    ${form(visit, { action, target: pageId, content, name: 'payment-method' })}
  </section>`;
}
