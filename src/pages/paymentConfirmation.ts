import { type RequestFacts } from '../kit/endpoint';
import { html, type Html } from '../kit/html';
import { type Confirmation } from '../subscriptions/charges/confirmations';
import { type PaymentForm, type ScriptAction } from '../subscriptions/paymentForm';
import { meansText } from './customer/cards';
import { type Home } from './customer/home';
import { paymentAction, walletPayment } from './customer/paymentAction';
import { submit } from './layout/forms';
import { plainTexts } from './layout/plain';
import { linkPage, outcomePage } from './customer/mailLinkPages';

/** A button starts the confirmation, so that a mail scanner that follows the link does not start it. */
export function confirmationPage(request: RequestFacts, home: Home, payment: Confirmation) {
  if (payment.state !== 'waiting') return settledPage(request, home, payment);
  const { t, money } = plainTexts(request);
  const { price } = payment;
  const text = price
    ? t('links.confirmPaymentNow', { amount: money(price.amount, price.currency) })
    : t('links.confirmCard');
  return questionPage(request, home, payment, html`<form method="post">${submit(text, { isFull: true })}</form>`);
}

/** The provider's script lets the payer authenticate, and sends the form after the answer. */
export function actionPage(request: RequestFacts, home: Home, payment: Confirmation, action: ScriptAction) {
  const texts = plainTexts(request);
  const { wallet } = payment;
  const shown = wallet ? walletPayment(texts, action, wallet) : paymentAction(texts, action);
  const content = html`<form method="post" class="stack">${shown}</form>`;
  return questionPage(request, home, payment, content, action.form);
}

function questionPage(
  request: RequestFacts,
  { theme }: Home,
  { price, description, cardDigits, method, wallet }: Confirmation,
  content: Html,
  paymentForm?: PaymentForm,
) {
  const texts = plainTexts(request);
  const { t, money } = texts;
  const card = method && meansText(texts, method, cardDigits);
  const isCard = price === undefined;
  const paid =
    price &&
    html`<dl class="stat">
      <dt><bdi>${description}</bdi></dt>
      <dd><bdi>${money(price.amount, price.currency)}</bdi></dd>
    </dl>`;
  return linkPage(
    request,
    { title: t(isCard ? 'links.confirmCard' : 'links.confirmPayment'), theme, paymentForm },
    html`${!wallet && html`<p>${t(isCard ? 'links.confirmCardHint' : 'links.confirmPaymentHint')}</p>`} ${paid}
    ${card && html`<p class="quiet small">${card}</p>`} ${content}`,
  );
}

function settledPage(request: RequestFacts, home: Home, { state, price }: Confirmation) {
  const { t } = plainTexts(request);
  const isPaid = state === 'paid';
  const title =
    price === undefined
      ? t(isPaid ? 'links.cardSaved' : 'links.cardClosed')
      : t(isPaid ? 'links.paymentPaid' : 'links.paymentClosed');
  const text = t(isPaid ? 'links.paymentPaidHint' : 'links.paymentClosedHint');
  return outcomePage(request, home, { title, text });
}
