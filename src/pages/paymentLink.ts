import { type RequestFacts } from '../kit/endpoint';
import { html } from '../kit/html';
import { type OwedPayment } from '../subscriptions/mailLinks/payLinks';
import { type Home, continueButton } from './customer/home';
import { submit } from './layout/forms';
import { plainTexts } from './layout/plain';
import { linkPage, outcomePage } from './customer/mailLinkPages';

/** A button charges the card, so that a mail scanner that follows the link charges nothing. */
export function owedPage(request: RequestFacts, home: Home, payment: OwedPayment) {
  const { t } = plainTexts(request);
  const { state, cardDigits, confirmUrl } = payment;
  if (state === 'closed' || state === 'paid')
    return outcomePage(request, home, {
      title: t(state === 'paid' ? 'links.paymentPaid' : 'links.paymentClosed'),
      text: t(state === 'paid' ? 'links.paymentPaidHint' : 'links.paymentClosedHint'),
    });
  if (state === 'processing')
    return outcomePage(request, home, { title: t('links.paymentReturn'), text: t('links.paymentReturnHint') });
  const card = cardDigits !== null && t('paywall.savedCard', { type: t('paywall.card'), digits: cardDigits });
  const pay = html`<form method="post">
    ${submit(t('links.payNow', { amount: payment.amount }), { isFull: true })}
  </form>`;
  const confirm = html`<p>
    <a class="button full" href="${confirmUrl ?? ''}">${t('links.confirmPaymentNow', { amount: payment.amount })}</a>
  </p>`;
  return linkPage(
    request,
    { title: t('links.pay'), theme: home.theme },
    html`${
        payment.declined !== '' && state === 'owed' && html`<p class="alert bad" role="alert">${payment.declined}</p>`
      }
      <p>${t('links.payHint')}</p>
      <dl class="stat">
        <dt><bdi>${payment.description}</bdi></dt>
        <dd><bdi>${payment.amount}</bdi></dd>
      </dl>
      ${card && html`<p class="quiet small">${card}</p>`} ${state === 'confirm' ? confirm : cardDigits !== null && pay}
      ${continueButton(home.linkTo?.('sign-in'), t('links.otherCard'), 'other')}`,
  );
}
