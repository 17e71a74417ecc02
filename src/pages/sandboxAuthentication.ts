import { type RequestFacts } from '../kit/endpoint';
import { html, type Html } from '../kit/html';
import { continueButton } from './customer/home';
import { keepingLanguage, type PlainFrame, plainPage, plainTexts } from './layout/plain';
import { houseTheme, type Theme } from './layout/theme';

/** The authentication page of the sandbox's bank. No money moves. */
export function authenticationPage(request: RequestFacts, payment: { description: string; amount: string }) {
  const { t } = plainTexts(request);
  const title = t('bank.title');
  return page(
    request,
    { title },
    html`<p class="quiet small">${t('bank.hint')}</p>
      <dl class="stat">
        <dt><bdi>${payment.description}</bdi></dt>
        <dd><bdi>${payment.amount}</bdi></dd>
      </dl>
      <form method="post">
        <div class="halves">
          <button class="main" name="answer" value="approved">${t('bank.approve')}</button>
          <button name="answer" value="refused">${t('bank.refuse')}</button>
        </div>
      </form>`,
  );
}

/** The page after the answer, for a purchase without a return URL. */
export function answeredPage(request: RequestFacts, reference: string, answer: 'approved' | 'refused') {
  const { t } = plainTexts(request);
  const back = keepingLanguage(request, `/payments/return?payment_intent=${encodeURIComponent(reference)}`);
  const content = html`<p>${t('bank.done')}</p>
    ${continueButton(back, t('bank.goBack'))}`;
  return page(request, { title: t(`bank.${answer}`), isDone: true }, content);
}

/** The theme of the sandbox's bank, which is not the merchant's. */
export function bankTheme(request: RequestFacts): Theme {
  return { ...houseTheme, name: plainTexts(request).t('bank.name') };
}

function page(request: RequestFacts, frame: PlainFrame, content: Html) {
  return plainPage(
    request,
    { ...frame, theme: bankTheme(request), isTest: true },
    html`<h1>${frame.title}</h1>
      ${content}`,
  );
}
