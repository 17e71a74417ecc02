import { z } from 'zod';
import { html, type Html } from '../../kit/html';
import { page, type PageResponse } from '../../kit/pages/page';
import {
  findRedirectName,
  formNames,
  paymentMethods,
  redirectNames,
  redirectTitles,
  type FormName,
  type RedirectName,
} from '../../kit/paymentMethods';
import { cardEndpoints } from '../../subscriptions/cards.endpoints';
import { subscriptionChangeEndpoints } from '../../subscriptions/changes/changes.endpoints';
import { mandateEndpoints } from '../../subscriptions/methods/mandates.endpoints';
import { renewsByDebit, renewsTooOften } from '../../subscriptions/methods/methods';
import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { accountComplaint, accountFields, accountLabels, accountOf } from '../customer/bankAccounts';
import { cardText, kindOf } from '../customer/cards';
import { listMeans } from '../customer/means';
import { isUnderWay } from '../customer/subscriptionChanges';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, form, radios, submit } from '../layout/forms';
import { findConfirmation } from './cardConfirmation';
import { addressIn, inPortal, openPortal, pageId, type Portal, portalPath, showInPortal, text } from './frame';
import { type SubscriptionRow } from './subscriptionState';
import { redirectWithNotice, SubscriptionPlace } from './subscriptions';

const { changePaymentMethod } = subscriptionChangeEndpoints;

const atMethod = {
  ...inPortal,
  path: `${portalPath}/subscriptions/{id}/payment-method`,
  params: SubscriptionPlace,
} as const;

/** The change of the payment method of one subscription: a saved card, a bank account, or a method with its own page. */
export const methodPages = {
  showPaymentMethod: page({
    ...atMethod,
    method: 'get',
    summary: 'The methods that can pay for a subscription from now on',
    query: z.object({ lang: text, setup_intent: z.string().max(100).optional() }),
    handler: async (visit) => {
      const { setup_intent: reference } = visit.query;
      const portal = await openPortal(visit);
      if (reference === undefined) return methodPage(portal, visit.params.id, {});
      return continueMethod(portal, visit.params.id, reference);
    },
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

/** The answer for a method whose payer must agree on a page. */
const WaitingMethod = z.object({ redirect_to_url: z.string() });

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
  const onPage = findRedirectName(sent.card ?? '');
  const { title } =
    paymentMethods[onPage ?? (sent.card === 'saved' ? await findSavedName(portal, id) : 'direct_debit')];
  const return_url = `${visit.origin}${addressIn(portal, `subscriptions/${id}/payment-method`)}`;
  const body = { payment_method: title, ...(onPage && { return_url }) };
  const outcome = await attempt(texts, () => visit.call(changePaymentMethod, { params: { id }, body }));
  const page = onPage && 'done' in outcome ? WaitingMethod.safeParse(outcome.done).data : undefined;
  if (onPage && page) return methodPage(portal, id, { waits: { method: onPage, url: page.redirect_to_url } });
  if ('done' in outcome)
    return redirectWithNotice(portal, id, { done: 'methodChanged', method: title }, isUnderWay(outcome.done));
  const confirmation = findConfirmation(portal, outcome.error, { id, at: 'payment-method' });
  if (confirmation) return confirmation;
  // The mandate is stored, so the next attempt does not need the bank account again.
  const choice = sent.card === 'new-debit' ? { card: 'debit' } : sent;
  return methodPage(portal, id, { sent: choice, complaint: outcome.refused });
}

/** The method that is saved for the currency of the subscription: a card or Link. */
async function findSavedName({ visit }: Portal, id: string): Promise<FormName> {
  const [{ cards }, { currency }] = await Promise.all([
    visit.call(cardEndpoints.listDefaultCards),
    visit.call(subscriptionEndpoints.getSubscription, { params: { id } }),
  ]);
  const saved = cards[currency];
  return saved ? kindOf(saved) : 'card';
}

/** The payer comes back from the page of the method. The subscription may have changed already. */
async function continueMethod(portal: Portal, id: string, pi_id: string) {
  const { visit, texts } = portal;
  const continued = { params: { id }, body: { pi_id } };
  const outcome = await attempt(texts, () => visit.call(changePaymentMethod, continued));
  const isAgreed =
    'done' in outcome ? !WaitingMethod.safeParse(outcome.done).success : !('payment_method' in outcome.refused.fields);
  if (!isAgreed)
    return methodPage(portal, id, { complaint: { message: texts.t('portal.method.notConfirmed'), fields: {} } });
  if ('refused' in outcome) return methodPage(portal, id, { complaint: outcome.refused });
  const row = await visit.call(subscriptionEndpoints.getSubscription, { params: { id } });
  const deed = { done: 'methodChanged', method: row.payment_method_name };
  return redirectWithNotice(portal, id, deed, isUnderWay(outcome.done));
}

interface MethodState {
  waits?: { method: RedirectName; url: string };
  sent?: MethodForm | undefined;
  complaint?: Complaint | undefined;
}

async function methodPage(portal: Portal, id: string, { sent, complaint, waits }: MethodState): Promise<PageResponse> {
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
  if (waits) return showInPortal(portal, position, waitingSection(portal, waits));
  const content = html`${choices.length > 0 && choiceForm(portal, row, choices, { sent, complaint })}
    <section class="card stack slender">
      <p>${t('portal.method.newCardHint', { currency: row.currency })}</p>
      <p><a class="button" href="${addressIn(portal, 'card')}">${t('portal.method.newCard')}</a></p>
    </section>`;
  return showInPortal(portal, position, content, complaint ? { status: 422 } : {});
}

/** The link to the page of the method. */
function waitingSection({ texts: { t } }: Portal, { method: name, url }: Required<MethodState>['waits']): Html {
  const method = redirectTitles[name];
  return html`<section class="card stack slender">
    <p tabindex="-1" data-focus>${t('portal.method.confirmHint', { method })}</p>
    <p><a class="button main full" href="${url}" rel="noopener">${t('paywall.goToMethod', { method })}</a></p>
  </section>`;
}

interface Choice {
  value: 'saved' | 'debit' | 'new-debit' | RedirectName;
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
  const card = cards[currency];
  const { savedAccount: digits } = means;
  const takesDebits = means.takesDebits && !renewsTooOften(plan);
  const pages = means.redirects.filter((name) => !renewsByDebit(name) || !renewsTooOften(plan));
  return [
    ...(card && means.formMethods.includes(kindOf(card))
      ? [{ value: 'saved', text: cardText(texts, card) } as const]
      : []),
    ...(takesDebits && digits !== undefined
      ? [{ value: 'debit', text: t('paywall.savedAccount', { digits }) } as const]
      : []),
    ...(takesDebits
      ? [{ value: 'new-debit', text: t(digits === undefined ? 'paywall.sepaDebit' : 'paywall.otherAccount') } as const]
      : []),
    ...pages.map((name) => ({ value: name, text: redirectTitles[name] })),
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
  const named = redirectNames.find((name) => paymentMethods[name].title === row.payment_method_name);
  const isSaved = formNames.some((name) => paymentMethods[name].title === row.payment_method_name);
  const present = named ?? (isSaved ? 'saved' : 'debit');
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
