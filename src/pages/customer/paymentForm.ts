import { html, type Html } from '../../kit/html';
import { describeForm, type FormPurpose } from '../../subscriptions/paymentForm';
import { type Complaint } from '../layout/explain';
import { type Texts } from '../layout/texts';

/** The id of the field in links from the summary of errors (`idOf` in ../layout/forms). */
const fieldId = 'field-payment_token';

/**
 * The place of the provider's form, which the browser's script fills (../browser/paymentForm.ts). Undefined if the
 * provider has none. The page that it is first shown on needs `hasPaymentForm` in its frame.
 */
export function findPaymentForm(
  { t }: Texts,
  { purpose, complaint }: { purpose: FormPurpose; complaint: Complaint | undefined },
): Html | undefined {
  const described = describeForm(purpose);
  if (!described) return undefined;
  const { kind, publishableKey, scriptUrl, amount } = described;
  const refused = complaint?.fields['payment_token'];
  return html`<fieldset class="stack" id="${fieldId}" tabindex="-1">
    <legend class="label">${t('paywall.card')}</legend>
    <div
      data-payment-form="${kind}"
      data-key="${publishableKey}"
      data-script="${scriptUrl}"
      data-mode="${amount > 0 ? 'payment' : 'setup'}"
      data-amount="${amount}"
      data-currency="${purpose.currency.toLowerCase()}"
      data-blocked="${t('paywall.formBlocked', { host: new URL(scriptUrl).host })}"
    ></div>
    <input type="hidden" name="payment_token" value="" />
    <p class="complaint" role="alert" tabindex="-1" data-payment-error hidden></p>
    ${refused === undefined ? '' : html`<p class="complaint">${refused}</p>`}
    <noscript><p>${t('paywall.formNeedsScript')}</p></noscript>
  </fieldset>`;
}
