import { html, type Html } from '../../kit/html';
import { describeForm, type FormPurpose, type PaymentForm } from '../../subscriptions/paymentForm';
import { type FormName } from '../../kit/paymentMethods';
import { type Complaint } from '../layout/explain';
import { type Texts } from '../layout/texts';

/** The id of the field, for the links in the summary of errors (`idOf` in ../layout/forms). */
const fieldId = 'field-payment_token';

/** What every element for the provider's script contains. */
export const scriptAttributes = (
  { t }: Texts,
  { publishableKey, account = '', scriptUrl }: Pick<PaymentForm, 'publishableKey' | 'account' | 'scriptUrl'>,
): Html =>
  html`data-key="${publishableKey}" data-account="${account}" data-script="${scriptUrl}"
  data-blocked="${t('paywall.formBlocked', { host: new URL(scriptUrl).host })}"`;

/**
 * The element that the browser's script fills with the provider's form (../browser/paymentForm.ts). The frame of the
 * first page with this element needs `paymentForm`.
 */
export function paymentFormField(
  texts: Texts,
  paymentForm: PaymentForm,
  {
    purpose,
    complaint,
    methods,
  }: { purpose: FormPurpose; complaint: Complaint | undefined; methods: readonly FormName[] },
): Html {
  const { t } = texts;
  const { kind, amount, ...script } = describeForm(paymentForm, purpose);
  const refused = complaint?.fields['payment_token'];
  return html`<fieldset class="stack" id="${fieldId}" tabindex="-1">
    <legend class="label">${t('paywall.card')}</legend>
    <div
      data-payment-form="${kind}"
      ${scriptAttributes(texts, script)}
      data-methods="${methods.join(' ')}"
      data-mode="${amount > 0 ? 'payment' : 'setup'}"
      data-amount="${amount}"
      data-currency="${purpose.currency.toLowerCase()}"
      class="skeleton"
    ></div>
    <input type="hidden" name="payment_token" value="" />
    <p class="complaint" role="alert" tabindex="-1" data-payment-error hidden></p>
    ${refused === undefined ? '' : html`<p class="complaint">${refused}</p>`}
    <noscript><p>${t('paywall.formNeedsScript')}</p></noscript>
  </fieldset>`;
}
