import { mandateEndpoints } from '../../subscriptions/methods/mandates.endpoints';
import { methodEndpoints } from '../../subscriptions/methods/methods.endpoints';
import { html, type Html } from '../../kit/html';
import { paymentMethods, redirectNames, redirectTitles, type RedirectName } from '../../kit/paymentMethods';
import { type Fee } from '../customer/fees';
import { attempt } from '../layout/explain';
import { radios } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { type Paywall } from './parts';

/** The means with which the checkout can be paid. The field `card` names the chosen one. */

/** The methods that can pay for a fee. `redirects` open a page of the bank. */
export interface OfferedMeans {
  takesCards: boolean;
  takesDebits: boolean;
  /** The last four digits of the bank account that the customer has authorised; undefined without one. */
  savedAccount: string | undefined;
  redirects: readonly RedirectName[];
}

export async function listMeans({ visit, texts }: Paywall, fee: Fee): Promise<OfferedMeans> {
  const query = { access_fee_id: String(fee.id) };
  const listed = await attempt(texts, () => visit.call(methodEndpoints.listPaymentMethods, { query }));
  if (!('done' in listed)) return { takesCards: true, takesDebits: false, savedAccount: undefined, redirects: [] };
  const ids = new Set(listed.done.map(({ id }) => id));
  const redirects = redirectNames.filter((name) => ids.has(paymentMethods[name].id));
  const takesDebits = ids.has(paymentMethods.direct_debit.id);
  const mandate = takesDebits ? await attempt(texts, () => visit.call(mandateEndpoints.getMandate)) : undefined;
  const savedAccount = mandate && 'done' in mandate ? mandate.done.mandate.last4 : undefined;
  return { takesCards: ids.has(paymentMethods.card.id), takesDebits, savedAccount, redirects };
}

interface Means extends OfferedMeans {
  savedCard: string | undefined;
  chosen: string | undefined;
}

/** The fields of the means that the visitor can enter here. */
interface MeansFields {
  newCard: Html;
  newAccount: Html;
}

/** The choice between the saved means, new ones and the pages of banks. Without a choice, the fields of a card alone. */
export function meansField({ texts: { t } }: Paywall, means: Means, { newCard, newAccount }: MeansFields): Html {
  const choices = choicesOf(t, means);
  const [first] = choices;
  if (!first) return html`<p class="alert">${t('paywall.cannotPay')}</p>`;
  if (choices.length === 1 && first.value === 'new') return newCard;
  const value = choices.some((one) => one.value === means.chosen) ? means.chosen : first.value;
  const shown = choices.map((one) => ({ value: one.value, content: html`<span>${one.text}</span>` }));
  return html`${radios({ name: 'card', label: t('paywall.payWith'), value, choices: shown })}
  ${means.takesCards ? html`<div class="if-new-card">${newCard}</div>` : ''}
  ${means.takesDebits ? html`<div class="if-new-account">${newAccount}</div>` : ''}`;
}

function choicesOf(t: Texts['t'], { takesCards, takesDebits, savedCard, savedAccount, redirects }: Means) {
  const cards = [
    ...(savedCard === undefined ? [] : [{ value: 'saved', text: savedCard }]),
    { value: 'new', text: t(savedCard === undefined ? 'paywall.card' : 'paywall.otherCard') },
  ];
  const accounts = [
    ...(savedAccount === undefined
      ? []
      : [{ value: 'debit', text: t('paywall.savedAccount', { digits: savedAccount }) }]),
    { value: 'new-debit', text: t(savedAccount === undefined ? 'paywall.sepaDebit' : 'paywall.otherAccount') },
  ];
  const pages = redirects.map((name) => ({ value: name, text: redirectTitles[name] }));
  return [...(takesCards ? cards : []), ...(takesDebits ? accounts : []), ...pages];
}
