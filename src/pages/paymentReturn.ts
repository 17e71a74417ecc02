import { type RequestFacts } from '../kit/endpoint';
import { html } from '../kit/html';
import { isTestEnvironment } from '../platform';
import { type Home, continueButton } from './customer/home';
import { picturesAllowed, plainPage, plainTexts } from './layout/plain';

/** The page after the bank's page. It does not wait for the outcome, because the app receives it. */
export function returnPage(request: RequestFacts, { theme, linkTo: way }: Home) {
  const { t } = plainTexts(request);
  const title = t('links.paymentReturn');
  return plainPage(
    request,
    { title, theme, isTest: isTestEnvironment, allows: [picturesAllowed] },
    html`<h1>${title}</h1>
      <p>${t('links.paymentReturnHint')}</p>
      ${continueButton(way?.('sign-in'), t('paywall.manage'))}`,
  );
}
