import { type RequestFacts } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { wayOn } from '../customer/home';
import { keepingLanguage, type PlainFrame, plainPage, plainTexts } from '../layout/plain';
import { houseTheme, type Theme } from '../layout/theme';

/** The page where the sandbox's bank asks the customer: no money moves, whatever is answered. */
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

/** What remains to say when the purchase named no address to go back to. */
export function answeredPage(request: RequestFacts, reference: string, answer: 'approved' | 'refused') {
  const { t } = plainTexts(request);
  const back = keepingLanguage(request, `/payments/return?payment_intent=${encodeURIComponent(reference)}`);
  const content = html`<p>${t('bank.done')}</p>
    ${wayOn(back, t('bank.goBack'))}`;
  return page(request, { title: t(`bank.${answer}`), isDone: true }, content);
}

/** The looks of no merchant: a payer's bank has its own. */
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
