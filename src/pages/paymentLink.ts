import { type RequestFacts } from '../kit/endpoint';
import { html, type Html } from '../kit/html';
import { isTestEnvironment } from '../platform';
import { type OwedPayment } from '../subscriptions/mailLinks/payLinks';
import { type Home, continueButton } from './customer/home';
import { submit } from './layout/forms';
import { picturesAllowed, type PlainFrame, plainPage, plainTexts } from './layout/plain';

/** A button charges the card, so that a mail scanner that follows the link charges nothing. */
export function owedPage(request: RequestFacts, home: Home, payment: OwedPayment) {
  const { t } = plainTexts(request);
  const { state, cardDigits, confirmUrl } = payment;
  if (state === 'closed' || state === 'paid')
    return settledPage(request, home, {
      title: t(state === 'paid' ? 'links.paymentPaid' : 'links.paymentClosed'),
      text: t(state === 'paid' ? 'links.paymentPaidHint' : 'links.paymentClosedHint'),
    });
  if (state === 'processing')
    return settledPage(request, home, { title: t('links.paymentReturn'), text: t('links.paymentReturnHint') });
  const card = cardDigits !== null && t('paywall.savedCard', { type: t('paywall.card'), digits: cardDigits });
  const pay = html`<form method="post">
    ${submit(t('links.payNow', { amount: payment.amount }), { isFull: true })}
  </form>`;
  const confirm = html`<p>
    <a class="button full" href="${confirmUrl ?? ''}">${t('links.confirmPaymentNow', { amount: payment.amount })}</a>
  </p>`;
  return page(
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
      ${continueButton(home.linkTo?.('sign-in'), t('links.otherCard'))}`,
  );
}

function settledPage(
  request: RequestFacts,
  { theme, linkTo: way }: Home,
  { title, text }: { title: string; text: string },
) {
  const content = html`<p>${text}</p>
    ${continueButton(way?.('sign-in'), plainTexts(request).t('paywall.manage'))}`;
  return page(request, { title, theme }, content);
}

function page(request: RequestFacts, frame: PlainFrame, content: Html) {
  return plainPage(
    request,
    { ...frame, isTest: isTestEnvironment, allows: [picturesAllowed] },
    html`<h1>${frame.title}</h1>
      ${content}`,
  );
}
