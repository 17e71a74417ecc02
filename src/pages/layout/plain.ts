import { Answer, type RequestFacts } from '../../kit/endpoint';
import { html, Html } from '../../kit/html';
import { chosenLanguage, languagesOf } from '../../kit/pages/languages';
import { zoneOf } from '../../kit/pages/zones';
import { isTestEnvironment } from '../../platform';
import { type PaymentForm } from '../../subscriptions/paymentForm';
import { assetAddress } from './assets';
import { documentOf, fontHint, type Frame } from './page';
import { plainStyleSheet } from './style';
import { nameFields } from './summary';
import { type Texts, textsFor } from './texts';
import { houseTheme, themeProperties } from './theme';

/**
 * Pages that people open from a mail or a bank. They contain their styles, and need neither a session nor a page token.
 * Their only script is that of the card provider's form.
 */

export const plainTexts = (request: RequestFacts): Texts =>
  textsFor({ languages: languagesOf(request), zone: zoneOf(request) });

export interface PlainFrame extends Pick<Frame, 'title' | 'theme' | 'isTest'> {
  /** Whether the page confirms an action. Such a page has no other language, because its URL does not show it again. */
  isDone?: boolean;
  /** Additional directives of the Content-Security-Policy. */
  allows?: readonly string[];
  /** The card provider's form, if its script is needed. */
  paymentForm?: PaymentForm | undefined;
}

/** Allows the images in a merchant's logo and footer. */
export const picturesAllowed = `img-src https:${isTestEnvironment ? ' http:' : ''}`;

export function plainPage(
  request: RequestFacts,
  { allows = [], isDone, paymentForm, ...frame }: PlainFrame,
  content: Html,
) {
  const texts = plainTexts(request);
  const head = html`${texts.direction === 'ltr' ? fontHint : ''}
    <style>
      ${new Html(plainStyleSheet)} ${themeProperties(frame.theme ?? houseTheme)}
    </style>
    ${paymentForm ? html`<script src="${assetAddress('paymentForm.js')}" defer></script>` : ''}`;
  const allowed = [...allows, ...(paymentForm ? scriptsAllowed(paymentForm) : [])];
  const inLanguage = isDone ? undefined : (tag: string) => sameIn(request, tag);
  const whole = documentOf(
    { texts, frame: { ...frame, isNarrow: true }, head, inLanguage },
    html`<section class="card stack">${nameFields(content)}</section>`,
  );
  return new Answer(whole.text, { contentType: 'text/html; charset=utf-8', headers: plainHeaders(allowed) });
}

const scriptsAllowed = ({ hosts: { script, connect, frame } }: PaymentForm) => [
  [`script-src 'self'`, ...script].join(' '),
  ['connect-src', ...connect].join(' '),
  ['frame-src', ...frame].join(' '),
];

export function plainHeaders(allows: readonly string[] = []): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "font-src 'self'",
    ...allows,
    "base-uri 'none'",
  ].join('; ');
  return { 'Content-Security-Policy': policy };
}

/** The relative URL of the same page in another language. */
function sameIn({ queryText }: RequestFacts, tag: string): string {
  const parameters = new URLSearchParams(queryText);
  parameters.set('lang', tag);
  return `?${parameters.toString()}`;
}

/** The URL with the requested language. */
export function keepingLanguage(request: RequestFacts, address: string): string {
  const language = chosenLanguage(request);
  return language === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}lang=${language}`;
}
