import { methodEndpoints } from '../../subscriptions/methods/methods.endpoints';
import { html, type Html } from '../../kit/html';
import { paymentMethods, redirectNames, redirectTitles, type RedirectName } from '../../kit/paymentMethods';
import { type Fee } from '../customer/fees';
import { attempt } from '../layout/explain';
import { radios } from '../layout/forms';
import { type Paywall } from './parts';

/** The means with which the checkout can be paid. The field `card` names the chosen one. */

/** The methods that can pay for a fee. `redirects` open a page of the bank. */
export interface OfferedMeans {
  takesCards: boolean;
  redirects: readonly RedirectName[];
}

export async function listMeans({ visit, texts }: Paywall, fee: Fee): Promise<OfferedMeans> {
  const query = { access_fee_id: String(fee.id) };
  const listed = await attempt(texts, () => visit.call(methodEndpoints.listPaymentMethods, { query }));
  if (!('done' in listed)) return { takesCards: true, redirects: [] };
  const ids = new Set(listed.done.map(({ id }) => id));
  const redirects = redirectNames.filter((name) => ids.has(paymentMethods[name].id));
  return { takesCards: ids.has(paymentMethods.card.id), redirects };
}

interface Means extends OfferedMeans {
  savedCard: string | undefined;
  chosen: string | undefined;
}

/** The choice between the saved card, a new card and the pages of banks. Without a choice, the fields of a card alone. */
export function meansField(
  { texts: { t } }: Paywall,
  { takesCards, redirects, savedCard, chosen }: Means,
  newCard: Html,
): Html {
  if (takesCards && savedCard === undefined && redirects.length === 0) return newCard;
  if (!takesCards && redirects.length === 0) return html`<p class="alert">${t('paywall.cannotPay')}</p>`;
  const cards = [
    ...(savedCard === undefined ? [] : [{ value: 'saved', text: savedCard }]),
    { value: 'new', text: t(savedCard === undefined ? 'paywall.card' : 'paywall.otherCard') },
  ];
  const pages = redirects.map((name) => ({ value: name, text: redirectTitles[name] }));
  const choices = [...(takesCards ? cards : []), ...pages];
  const value = choices.some((one) => one.value === chosen) ? chosen : choices[0]?.value;
  const shown = choices.map((one) => ({ value: one.value, content: html`<span>${one.text}</span>` }));
  return html`${radios({ name: 'card', label: t('paywall.payWith'), value, choices: shown })}
  ${takesCards ? html`<div class="if-new-card">${newCard}</div>` : ''}`;
}
