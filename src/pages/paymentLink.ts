import { type RequestFacts } from '../kit/endpoint';
import { html } from '../kit/html';
import { type OwedPayment } from '../subscriptions/mailLinks/payLinks';
import { meansText } from './customer/cards';
import { failureText, isProviderMessage } from './customer/failures';
import { type Home, continueButton } from './customer/home';
import { submit } from './layout/forms';
import { plainTexts } from './layout/plain';
import { type Texts } from './layout/texts';
import { linkPage, outcomePage } from './customer/mailLinkPages';

/** A button charges the card, so that a mail scanner that follows the link charges nothing. */
export function owedPage(request: RequestFacts, home: Home, payment: OwedPayment) {
  const texts = plainTexts(request);
  const { t, money } = texts;
  const { state, method, cardDigits, confirmUrl } = payment;
  if (state === 'closed' || state === 'paid')
    return outcomePage(request, home, {
      title: t(state === 'paid' ? 'links.paymentPaid' : 'links.paymentClosed'),
      text: t(state === 'paid' ? 'links.paymentPaidHint' : 'links.paymentClosedHint'),
    });
  if (state === 'processing')
    return outcomePage(request, home, { title: t('links.paymentReturn'), text: t('links.paymentReturnHint') });
  const amount = money(payment.amount, payment.currency);
  const means = method !== null && meansText(texts, method, cardDigits);
  const pay = html`<form method="post">${submit(t('links.payNow', { amount }), { isFull: true })}</form>`;
  const confirm = html`<p>
    <a class="button full" href="${confirmUrl ?? ''}">${t('links.confirmPaymentNow', { amount })}</a>
  </p>`;
  return linkPage(
    request,
    { title: t('links.pay'), theme: home.theme },
    html`${
        payment.declined !== '' &&
        state === 'owed' &&
        html`<p class="alert bad" role="alert">${declineText(texts, payment)}</p>`
      }
      <p>${t('links.payHint')}</p>
      <dl class="stat">
        <dt><bdi>${payment.description}</bdi></dt>
        <dd><bdi>${amount}</bdi></dd>
      </dl>
      ${means && html`<p class="quiet small">${means}</p>`} ${state === 'confirm' ? confirm : method !== null && pay}
      ${continueButton(home.linkTo?.('sign-in'), t('links.otherCard'), 'other')}`,
  );
}

function declineText(texts: Texts, { declined, declineReason, method }: OwedPayment): string {
  if (isProviderMessage(texts, method ?? undefined)) return declined;
  return failureText(texts, declineReason, method ?? undefined) || texts.t('errors.payment_failed');
}
