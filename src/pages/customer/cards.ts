import { html, type Html } from '../../kit/html';
import { paymentMethods, type FormName } from '../../kit/paymentMethods';
import { type CardEntry, type FormPurpose } from '../../subscriptions/paymentForm';
import { assetAddress } from '../layout/assets';
import { type Complaint } from '../layout/explain';
import { field } from '../layout/forms';
import { methodLabel } from '../layout/methods';
import { type Texts } from '../layout/texts';
import { paymentFormField } from './paymentForm';

/** The fields for a new card, the provider's form, and the short text for a saved card. */

export interface CardForm {
  /** The token of the provider's form. */
  payment_token?: string | undefined;
  number?: string | undefined;
  card_name?: string | undefined;
  exp_month?: string | undefined;
  exp_year?: string | undefined;
  cvv?: string | undefined;
}

/** The card in the fields of the endpoints. */
export function cardOf({ payment_token, number, card_name, exp_month, exp_year, cvv }: CardForm): CardForm {
  return { payment_token, number: number?.replaceAll(/\s/g, ''), card_name, exp_month, exp_year, cvv };
}

export function cardLabels({ t }: Texts, { form }: CardEntry): Record<string, string> {
  if (form) return { payment_token: t('paywall.card') };
  return {
    number: t('paywall.cardNumber'),
    card_name: t('paywall.cardName'),
    exp_month: t('paywall.expiryMonth'),
    exp_year: t('paywall.expiryYear'),
    cvv: t('paywall.cvv'),
  };
}

interface NewCard {
  entry: CardEntry;
  purpose: FormPurpose;
  complaint: Complaint | undefined;
  name: string | undefined;
  isOptional?: boolean;
}

/** The provider's form, the fields for a card number, or the reason why neither is available. */
export function newCardFields(texts: Texts, card: NewCard): Html {
  const { form, isPossible, formMethods: methods } = card.entry;
  if (!isPossible) return html`<p class="alert">${texts.t('paywall.cannotPay')}</p>`;
  return form ? paymentFormField(texts, form, { ...card, methods }) : numberFields(texts, card);
}

/** The fields for a card number. Card data is never stored and never written back into the form, except the name. */
function numberFields(texts: Texts, { complaint, name, isOptional = false }: NewCard): Html {
  const { t } = texts;
  const common = { complaint, isRequired: !isOptional } as const;
  const digits = (wrong: string) =>
    ({ ...common, inputmode: 'numeric', more: { dir: 'ltr', 'data-wrong': wrong } }) as const;
  const wrongExpiry = t('errors.cardExpiry');
  const expiry = [complaint?.fields['exp_month'], complaint?.fields['exp_year']].find((text) => text !== undefined);
  return html`<fieldset class="stack" data-card-fields data-needs-script="${assetAddress('cardFields.js')}">
    <legend class="label">${t('paywall.card')}</legend>
    <p class="visually-hidden" role="status" data-scheme></p>
    ${field(texts, { ...digits(t('errors.cardNumber')), name: 'number', label: t('paywall.cardNumber'), autocomplete: 'cc-number', maxlength: 30 })}
    ${field(texts, { ...common, name: 'card_name', label: t('paywall.cardName'), autocomplete: 'cc-name', value: name, maxlength: 100 })}
    <div class="card-row">
      ${field(texts, { ...digits(wrongExpiry), name: 'exp_month', label: t('paywall.expiryMonth'), autocomplete: 'cc-exp-month', placeholder: 'MM', maxlength: 2 })}
      ${field(texts, { ...digits(wrongExpiry), name: 'exp_year', label: t('paywall.expiryYear'), autocomplete: 'cc-exp-year', placeholder: 'YYYY', maxlength: 4, ...(expiry !== undefined && { alsoNamed: ['exp_month'] }) })}
      ${field(texts, { ...digits(t('errors.cardCode')), name: 'cvv', label: t('paywall.cvv'), autocomplete: 'cc-csc', maxlength: 4 })}
    </div>
  </fieldset>`;
}

interface SavedCard {
  number: number;
  card_type: string;
}

/** Link has no digits. */
export const kindOf = ({ card_type, number }: SavedCard): FormName =>
  card_type === 'link' && number === 0 ? 'link' : 'card';

/** `Visa ending in 4242`. The digits are a number, so leading zeros are added again. */
export function cardText({ t }: Texts, card: SavedCard): string {
  if (kindOf(card) === 'link') return paymentMethods.link.title;
  const type = card.card_type.charAt(0).toUpperCase() + card.card_type.slice(1);
  return t('paywall.savedCard', { type, digits: String(card.number).padStart(4, '0') });
}

/** What pays: `Card ending in 4242`, `Direct debit ending in 3000`, or the name of a method without a number. */
export function meansText(texts: Texts, method: string, digits: string): string {
  const type = methodLabel(texts, method) ?? texts.t('paywall.card');
  return digits === '' ? type : texts.t('paywall.savedCard', { type, digits });
}
