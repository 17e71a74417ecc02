import { html, type Html } from '../../kit/html';
import { paymentMethods, type WalletName } from '../../kit/paymentMethods';
import { type ScriptAction } from '../../subscriptions/paymentForm';
import { type Texts } from '../layout/texts';
import { scriptAttributes } from './paymentForm';

/**
 * The form in which the provider's script lets the payer authenticate (../browser/paymentForm.ts). After the payer's
 * answer the script sends the form. `isRepeated`: a button starts the authentication.
 */
export function paymentAction(
  texts: Texts,
  { form, clientSecret, reference }: ScriptAction,
  { isRepeated = false }: { isRepeated?: boolean } = {},
): Html {
  const { t } = texts;
  return html`<input type="hidden" name="pi_id" value="${reference}" />
    <div
      data-payment-action="${form.kind}"
      ${scriptAttributes(texts, form)}
      data-secret="${clientSecret}"
      ${isRepeated ? html`data-repeated` : ''}
    ></div>
    <p class="complaint" role="alert" tabindex="-1" data-payment-error ${isRepeated ? '' : 'hidden'}>
      ${isRepeated ? t('paywall.authenticateNot') : ''}
    </p>
    <button type="button" class="main full" data-payment-again>${t('paywall.openBank')}</button>
    <noscript><p>${t('paywall.formNeedsScript')}</p></noscript>`;
}

/** The button with which the payer opens a wallet. After the payment the script sends the form. */
export function walletPayment(texts: Texts, { form, clientSecret, reference }: ScriptAction, wallet: WalletName): Html {
  const { t } = texts;
  const { title } = paymentMethods[wallet];
  return html`<input type="hidden" name="pi_id" value="${reference}" />
    <div
      data-payment-wallet="${form.kind}"
      ${scriptAttributes(texts, form)}
      data-secret="${clientSecret}"
      data-wallet="${wallet}"
      data-missing="${t('paywall.walletMissing', { wallet: title })}"
    ></div>
    <p class="complaint" role="alert" tabindex="-1" data-payment-error hidden></p>
    <noscript><p>${t('paywall.walletNeedsScript', { wallet: title })}</p></noscript>`;
}
