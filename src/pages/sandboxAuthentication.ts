import { type RequestFacts } from '../kit/endpoint';
import { html, type Html } from '../kit/html';
import {
  findWalletName,
  paymentMethods,
  type RedirectName,
  redirectTitles,
  type WalletName,
} from '../kit/paymentMethods';
import { type BankAnswer } from '../subscriptions/charges/answers';
import { continueButton } from './customer/home';
import { keepingLanguage, type PlainFrame, plainPage, plainTexts } from './layout/plain';
import { type TextKey, type Translate } from './layout/texts';
import { houseTheme, type Theme } from './layout/theme';

interface Payment {
  description: string;
  /** In the major unit. Undefined if nothing is paid. */
  price: { amount: number; currency: string } | undefined;
  /** Of a payment that is made on this page, or of an agreement to later ones. */
  method: PageName | undefined;
}

type PageName = RedirectName | WalletName;

const titleOf = (method: PageName) => {
  const wallet = findWalletName(method);
  return wallet ? paymentMethods[wallet].title : redirectTitles[method as RedirectName];
};

/** The page of the sandbox's bank or PayPal: an authentication, or a payment. No money moves. */
export function authenticationPage(request: RequestFacts, payment: Payment) {
  const { t, money } = plainTexts(request);
  const { method, price } = payment;
  const isAgreement = price === undefined;
  const payTitle = isAgreement ? 'bank.agreeTitle' : 'bank.payTitle';
  const title = method ? t(payTitle, { method: titleOf(method) }) : t('bank.title');
  return page(
    request,
    { title, method },
    html`<p class="quiet small">${t(hintOf(method))}</p>
      ${
        price
          ? html`<dl class="stat">
              <dt><bdi>${payment.description}</bdi></dt>
              <dd><bdi>${money(price.amount, price.currency)}</bdi></dd>
            </dl>`
          : html`<p class="quiet"><bdi>${payment.description}</bdi></p>`
      }
      <form method="post">${method ? payButtons(t, isAgreement ? agreeing : paying[method]) : answerButtons(t)}</form>`,
  );
}

const hintOf = (method: PageName | undefined) => {
  if (method === undefined) return 'bank.hint';
  if (findWalletName(method)) return 'bank.walletHint';
  return method === 'paypal' ? 'bank.paypalHint' : 'bank.payHint';
};

const answerButtons = (t: Translate) =>
  html`<div class="halves">
    <button class="main" name="answer" value="approved">${t('bank.approve')}</button>
    <button name="answer" value="refused">${t('bank.refuse')}</button>
  </div>`;

const agreeing = { yes: 'bank.agree', once: 'bank.agreeOnce', no: 'bank.agreeNot' } as const;
const payingAtBank = { yes: 'bank.pay', once: 'bank.payOnce', no: 'bank.payNot' } as const;
const paying = {
  ideal: payingAtBank,
  bancontact: payingAtBank,
  paypal: { ...payingAtBank, once: 'bank.paypalOnce' },
  google_pay: { yes: 'bank.pay', no: 'bank.payNot' },
  apple_pay: { yes: 'bank.pay', no: 'bank.payNot' },
} as const;
interface PageButtons {
  yes: TextKey;
  /** Absent: no later payment follows. */
  once?: TextKey;
  no: TextKey;
}

/** `once`: the payer pays or agrees, and every later payment fails. */
const payButtons = (t: Translate, { yes, once, no }: PageButtons) =>
  html`<div class="stack">
    <button class="main full" name="answer" value="approved">${t(yes)}</button>
    ${once && html`<button class="full" name="answer" value="approved_once">${t(once)}</button>`}
    <button class="full" name="answer" value="refused">${t(no)}</button>
  </div>`;

/** The page after the answer, for a purchase without a return URL. */
export function answeredPage(request: RequestFacts, reference: string, answer: BankAnswer) {
  const { t } = plainTexts(request);
  const back = keepingLanguage(request, `/payments/return?payment_intent=${encodeURIComponent(reference)}`);
  const content = html`<p>${t('bank.done')}</p>
    ${continueButton(back, t('bank.goBack'))}`;
  return page(request, { title: t(answer === 'refused' ? 'bank.refused' : 'bank.approved'), isDone: true }, content);
}

/** The theme of the sandbox's bank or PayPal, which is not the merchant's. */
export function bankTheme(request: RequestFacts, method?: PageName): Theme {
  if (method && findWalletName(method)) return { ...houseTheme, name: titleOf(method) };
  return { ...houseTheme, name: plainTexts(request).t(method === 'paypal' ? 'bank.paypalName' : 'bank.name') };
}

function page(
  request: RequestFacts,
  { method, ...frame }: PlainFrame & { method?: PageName | undefined },
  content: Html,
) {
  return plainPage(
    request,
    { ...frame, theme: bankTheme(request, method), isTest: true },
    html`<h1>${frame.title}</h1>
      ${content}`,
  );
}
