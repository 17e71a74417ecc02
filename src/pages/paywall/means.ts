import { html, type Html } from '../../kit/html';
import { redirectTitles } from '../../kit/paymentMethods';
import { type OfferedMeans } from '../customer/means';
import { radios } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { type Paywall } from './parts';

/** The means with which the checkout can be paid. The field `card` names the chosen one. */

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
  ${means.formMethods.length > 0 ? html`<div class="if-new-card">${newCard}</div>` : ''}
  ${means.takesDebits ? html`<div class="if-new-account">${newAccount}</div>` : ''}`;
}

function choicesOf(t: Texts['t'], { formMethods, takesDebits, savedCard, savedAccount, redirects }: Means) {
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
  return [...(formMethods.length > 0 ? cards : []), ...(takesDebits ? accounts : []), ...pages];
}
