import { html, type Html } from '../../kit/html';
import { describeForm, type FormPurpose, type PaymentForm } from '../../subscriptions/paymentForm';
import { type FormName } from '../../kit/paymentMethods';
import { type Complaint } from '../layout/explain';
import { type Texts } from '../layout/texts';

/** The id of the field, for the links in the summary of errors (`idOf` in ../layout/forms). */
const fieldId = 'field-payment_token';

/**
 * The element that the browser's script fills with the provider's form (../browser/paymentForm.ts). The frame of the
 * first page with this element needs `paymentForm`.
 */
export function paymentFormField(
  { t }: Texts,
  paymentForm: PaymentForm,
  {
    purpose,
    complaint,
    methods,
  }: { purpose: FormPurpose; complaint: Complaint | undefined; methods: readonly FormName[] },
): Html {
  const { kind, publishableKey, account, scriptUrl, amount } = describeForm(paymentForm, purpose);
  const refused = complaint?.fields['payment_token'];
  return html`<fieldset class="stack" id="${fieldId}" tabindex="-1">
    <legend class="label">${t('paywall.card')}</legend>
    <div
      data-payment-form="${kind}"
      data-key="${publishableKey}"
      data-account="${account}"
      data-script="${scriptUrl}"
      data-methods="${methods.join(' ')}"
      data-mode="${amount > 0 ? 'payment' : 'setup'}"
      data-amount="${amount}"
      data-currency="${purpose.currency.toLowerCase()}"
      data-blocked="${t('paywall.formBlocked', { host: new URL(scriptUrl).host })}"
      class="skeleton"
    ></div>
    <input type="hidden" name="payment_token" value="" />
    <p class="complaint" role="alert" tabindex="-1" data-payment-error hidden></p>
    ${refused === undefined ? '' : html`<p class="complaint">${refused}</p>`}
    <noscript><p>${t('paywall.formNeedsScript')}</p></noscript>
  </fieldset>`;
}
