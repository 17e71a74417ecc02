import { html, type Html } from '../../kit/html';
import { type ScriptAction } from '../../subscriptions/paymentForm';
import { type Texts } from '../layout/texts';

/**
 * The form in which the provider's script lets the payer authenticate (../browser/paymentForm.ts). After the payer's
 * answer the script sends the form. `isRepeated`: a button starts the authentication.
 */
export function paymentAction(
  { t }: Texts,
  { form, clientSecret, reference }: ScriptAction,
  { isRepeated = false }: { isRepeated?: boolean } = {},
): Html {
  const { kind, publishableKey, account = '', scriptUrl } = form;
  return html`<input type="hidden" name="pi_id" value="${reference}" />
    <div
      data-payment-action="${kind}"
      data-key="${publishableKey}"
      data-account="${account}"
      data-script="${scriptUrl}"
      data-secret="${clientSecret}"
      data-blocked="${t('paywall.formBlocked', { host: new URL(scriptUrl).host })}"
      ${isRepeated ? html`data-repeated` : ''}
    ></div>
    <p class="complaint" role="alert" tabindex="-1" data-payment-error ${isRepeated ? '' : 'hidden'}>
      ${isRepeated ? t('paywall.authenticateNot') : ''}
    </p>
    <button type="button" class="main full" data-payment-again>${t('paywall.openBank')}</button>
    <noscript><p>${t('paywall.formNeedsScript')}</p></noscript>`;
}

/**
 * The provider's form in which the payer pays with a wallet. `label`: of the button. After the payment the script sends the
 * form.
 */
export function walletPayment({ t }: Texts, { form, clientSecret, reference }: ScriptAction, label: string): Html {
  const { kind, publishableKey, account = '', scriptUrl } = form;
  return html`<input type="hidden" name="pi_id" value="${reference}" />
    <div
      data-payment-wallet="${kind}"
      data-key="${publishableKey}"
      data-account="${account}"
      data-script="${scriptUrl}"
      data-secret="${clientSecret}"
      data-blocked="${t('paywall.formBlocked', { host: new URL(scriptUrl).host })}"
      class="skeleton"
    ></div>
    <p class="complaint" role="alert" tabindex="-1" data-payment-error hidden></p>
    <button type="button" class="main full" data-payment-confirm>${label}</button>
    <noscript><p>${t('paywall.formNeedsScript')}</p></noscript>`;
}
