import { type RequestFacts } from '../kit/endpoint';
import { html, type Html } from '../kit/html';
import { isTestEnvironment } from '../platform';
import { type Confirmation } from '../subscriptions/charges/confirmations';
import { type Home, wayOn } from './customer/home';
import { submit } from './layout/forms';
import { picturesAllowed, type PlainFrame, plainPage, plainTexts } from './layout/plain';

/** A button confirms the charge, so that a mail scanner that follows the link does not confirm it. */
export function confirmationPage(request: RequestFacts, home: Home, payment: Confirmation) {
  if (payment.state !== 'waiting') return settledPage(request, home, payment.state);
  const { t } = plainTexts(request);
  const card = t('paywall.savedCard', { type: t('paywall.card'), digits: payment.cardDigits });
  return page(
    request,
    { title: t('links.confirmPayment'), theme: home.theme },
    html`<p>${t('links.confirmPaymentHint')}</p>
      <dl class="stat">
        <dt><bdi>${payment.description}</bdi></dt>
        <dd><bdi>${payment.amount}</bdi></dd>
      </dl>
      <p class="quiet small">${card}</p>
      <form method="post">${submit(t('links.confirmPaymentNow', { amount: payment.amount }), { isFull: true })}</form>`,
  );
}

function settledPage(request: RequestFacts, { theme, way }: Home, state: 'paid' | 'closed') {
  const { t } = plainTexts(request);
  const [title, text] =
    state === 'paid'
      ? [t('links.paymentPaid'), t('links.paymentPaidHint')]
      : [t('links.paymentClosed'), t('links.paymentClosedHint')];
  const content = html`<p>${text}</p>
    ${wayOn(way?.('sign-in'), t('paywall.manage'))}`;
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
