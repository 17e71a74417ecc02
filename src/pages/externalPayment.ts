import { Answer, type RequestFacts } from '../kit/endpoint';
import { html } from '../kit/html';
import { isTestEnvironment } from '../platform';
import { type Continuation } from '../subscriptions/paypal/paypal';
import { type Home, continueButton } from './customer/home';
import { picturesAllowed, plainHeaders, plainPage, plainTexts } from './layout/plain';

/** The page between a shop and PayPal: it sends the browser on as soon as the page of PayPal is known. */
export function externalPaymentPage(request: RequestFacts, { theme }: Home, { step, url }: Continuation) {
  if (step === 'redirect' && url !== undefined)
    return new Answer('', { contentType, headers: { ...plainHeaders(), Location: url }, status: 303 });
  const { t } = plainTexts(request);
  const title = t(titles[step]);
  const isWaiting = step === 'waiting';
  const shown = plainPage(
    request,
    { title, theme, isTest: isTestEnvironment, allows: [picturesAllowed] },
    html`<h1>${title}</h1>
      <p role="status">${t(hints[step])}</p>
      ${isWaiting ? '' : continueButton(url, t('bank.goBack'))}`,
  );
  if (!isWaiting) return shown;
  // The page needs no script: the header makes the browser ask again.
  const headers = { ...shown.options.headers, Refresh: String(refreshSeconds) };
  return new Answer(shown.body, { ...shown.options, headers });
}

const contentType = 'text/html; charset=utf-8';
const refreshSeconds = 1;

const titles = {
  waiting: 'links.paypalOpens',
  redirect: 'links.paypalOpens',
  paid: 'links.paymentPaid',
  closed: 'links.paymentClosed',
} as const;

const hints = {
  waiting: 'links.paypalOpensHint',
  redirect: 'links.paypalOpensHint',
  paid: 'links.paymentPaidHint',
  closed: 'links.paypalClosedHint',
} as const;
