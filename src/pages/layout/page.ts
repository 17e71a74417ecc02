import { type AppError } from '../../kit/errors';
import { html, Html, type Written } from '../../kit/html';
import { type Language, languageName, languages } from '../../kit/languages';
import { PageResponse, type PageResponseOptions, type Visit } from '../../kit/pages/page';
import { isTestEnvironment } from '../../platform';
import { type PaymentForm } from '../../subscriptions/paymentForm';
import { type Asset, assetAddress } from './assets';
import { explain, hasText } from './explain';
import { fontAddress } from './font';
import { icon } from './icons';
import { nameFields } from './summary';
import { type Texts, textsFor } from './texts';
import { houseTheme, type Theme, themeProperties } from './theme';

/** The frame of a page around its content. */
export interface Frame {
  /** The title in the browser's tab, before the name of the theme. */
  title: string;
  theme?: Theme;
  /** Whether the page has the width of a form instead of a list. */
  isNarrow?: boolean;
  /** The content of the banner: navigation and sign-out. */
  banner?: Html;
  /** Whether the page has neither banner nor footer, as in a frame of another page. */
  isBare?: boolean;
  /** The id of the element after the menu, where the first link of the page leads. By default, it is the whole content. */
  skipTo?: string;
  /** Whether a ribbon says that no money moves. By default, it is shown in the test environment. */
  isTest?: boolean;
  /** The card provider's form, if the page or a later fragment contains it. */
  paymentForm?: PaymentForm | undefined;
}

/**
 * The response of a handler: the content alone for htmx, otherwise the whole page. The outermost element of the content
 * needs an `id`, which forms use as their target (`hx-target`).
 */
export function show(visit: Visit, frame: Frame, content: Html, options: PageResponseOptions = {}): PageResponse {
  const named = nameFields(content);
  if (visit.isFragment) return new PageResponse(named, options);
  return new PageResponse(wholePage(visit, frame, named), { ...options, hosts: frame.paymentForm?.hosts });
}

/** A page with its head, scripts and styles. */
export function wholePage(visit: Visit, frame: Frame, content: Html): Html {
  const texts = textsFor(visit);
  const head = html`<meta name="htmx-config" content="${htmxSettings(visit)}" />
    <link rel="icon" href="data:," />
    ${texts.direction === 'ltr' ? fontHint : ''}
    <link rel="stylesheet" nonce="${visit.nonce}" href="${assetAddress(styleOf(visit))}" />
    <style nonce="${visit.nonce}">
      ${themeProperties(frame.theme ?? houseTheme)}
    </style>
    <script nonce="${visit.nonce}" src="${assetAddress('page.js')}" defer></script>
    ${frame.paymentForm ? paymentScript(visit) : ''}`;
  const attributes = html`hx-headers="${JSON.stringify({ 'X-Page-Token': visit.pageToken })}"`;
  const inLanguage = (tag: string) => withLanguage(visit, tag);
  const { offered } = visit;
  // Every page of the test environment shows the ribbon, so that nobody takes a test purchase for a sale.
  const shown = { isTest: isTestEnvironment, ...frame };
  const offlineNotice = html`<p class="lost" role="status" data-lost="${texts.t('common.offline')}"></p>`;
  return documentOf({ texts, frame: shown, head, attributes, inLanguage, offered }, html`${offlineNotice} ${content}`);
}

function styleOf({ address }: Visit): Asset {
  if (/^\/(console|operator)\b/.test(address)) return 'console.css';
  return /^\/paywall\b/.test(address) ? 'paywall.css' : 'portal.css';
}

/** The typeface is loaded beside the style sheet, and not after it. */
export const fontHint = html`<link rel="preload" as="font" type="font/woff2" href="${fontAddress}" crossorigin />`;

const paymentScript = ({ nonce }: Visit) =>
  html`<script nonce="${nonce}" src="${assetAddress('paymentForm.js')}" defer></script>`;

interface Surroundings {
  texts: Texts;
  frame: Frame;
  /** The scripts and styles of the page. */
  head: Html;
  /** The attributes of the body. */
  attributes?: Html;
  /** The URL of the same page in another language. Absent if the page has no other language. */
  inLanguage?: ((tag: string) => string) | undefined;
  /** The languages of the page: all, if absent. */
  offered?: readonly Language[];
}

/** A complete HTML document. */
export function documentOf(surroundings: Surroundings, content: Html): Html {
  const { texts, frame, head, attributes } = surroundings;
  const { theme = houseTheme, isBare = false } = frame;
  const { language, direction, t } = texts;
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="${theme.isDark ? 'dark' : 'light dark'}" />
        <title>${frame.title} · ${theme.name}</title>
        ${head}
      </head>
      <body class="${isBare ? 'bare' : ''}" ${attributes}>
        <a class="skip visually-hidden" href="#${frame.skipTo ?? 'content'}">${t('common.skip')}</a>
        ${frame.isTest ? html`<aside class="ribbon">${t('common.testMode')}</aside>` : ''}
        ${isBare ? '' : bannerOf(theme, frame.banner)}
        <main id="content" tabindex="-1" class="${frame.isNarrow ? 'narrow' : 'wide'}">${content}</main>
        ${isBare ? '' : footOf(theme, surroundings)}
      </body>
    </html>`;
}

/**
 * The settings of htmx. It evaluates no scripts, and shows responses of every status, because a refused form is shown
 * again.
 */
function htmxSettings({ nonce }: Visit): string {
  return JSON.stringify({
    allowEval: false,
    allowScriptTags: false,
    includeIndicatorStyles: false,
    inlineScriptNonce: nonce,
    // Back loads the page of the address again: a page of an account is not kept in the browser.
    historyCacheSize: 0,
    refreshOnHistoryMiss: true,
    // New content works as soon as it is visible, so that no early input is lost.
    defaultSettleDelay: 0,
    selfRequestsOnly: true,
    responseHandling: [
      { code: '204', swap: false },
      { code: '[2345]..', swap: true },
    ],
  });
}

function bannerOf(theme: Theme, banner: Written): Html {
  const { name, logoUrl } = theme;
  const sign =
    logoUrl === ''
      ? html`<span class="brand-mark" aria-hidden="true">${initialOf(name)}</span><bdi>${name}</bdi>`
      : html`<img src="${logoUrl}" alt="${name}" />`;
  return html`<header class="banner ${logoUrl === '' ? '' : 'coloured'}">
    <div class="banner-in"><span class="brand">${sign}</span>${banner}</div>
  </header>`;
}

/** The first letter of a name, where there is no logo. */
const initialOf = (name: string) => (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '').toUpperCase();

function footOf(theme: Theme, { texts, inLanguage, offered }: Surroundings): Html {
  const { t } = texts;
  const terms = theme.termsUrl === '' ? '' : html`<a href="${theme.termsUrl}" rel="noopener">${t('common.terms')}</a>`;
  return html`<footer class="foot">
    <div class="foot-in">
      <div>${new Html(theme.footer)}</div>
      ${terms} ${inLanguage && languageMenu(texts, inLanguage, offered)}
    </div>
  </footer>`;
}

/** The language of the page opens the list of the others. It works without a script. */
function languageMenu(
  { language, t }: Texts,
  inLanguage: (tag: string) => string,
  offered: readonly Language[] = languages,
): Html {
  const others = offered.filter((name) => name !== language);
  const links = others.map(
    (name) => html`<li><a href="${inLanguage(name)}" lang="${name}" hreflang="${name}">${languageName(name)}</a></li>`,
  );
  return html`<nav class="push" aria-label="${t('common.language')}">
    <details class="languages">
      <summary>${icon('globe')}${languageName(language)}</summary>
      <ul>
        ${links}
      </ul>
    </details>
  </nav>`;
}

function withLanguage({ address, method }: Visit, tag: string): string {
  const [path = '', query = ''] = address.split('?');
  const parameters = new URLSearchParams(method === 'get' ? query : '');
  parameters.set('lang', tag);
  return `${path}?${parameters.toString()}`;
}

/** The error page: the error and a way to continue. */
export function errorPage(visit: Visit, error: AppError): Html {
  const texts = textsFor(visit);
  const { t } = texts;
  const isUnknownAddress = error.status === 404;
  const known = isUnknownAddress && !hasText(error) ? t('errors.not_found') : explain(texts, error).message;
  const title = t(isUnknownAddress ? 'common.lostTitle' : 'common.errorTitle');
  const content = html`<div class="card stack" role="alert">
    <h1>${title}</h1>
    <p>${known}</p>
    ${
      (visit.method === 'get' && !isUnknownAddress) || error.code === 'page_expired'
        ? html`<p><a class="button" href="${visit.method === 'get' ? visit.address : ''}">${t('common.reload')}</a></p>`
        : ''
    }
    ${isUnknownAddress && wayOn(visit, texts)}
  </div>`;
  if (visit.isFragment) return content;
  const isFramed = visit.isEmbedded && visit.address.startsWith('/paywall/');
  const whole = isFramed ? html`<div class="stack">${closeButton(texts)} ${content}</div>` : content;
  return wholePage(visit, { title, isNarrow: true, isBare: isFramed }, whole);
}

/** Asks the page around the frame to close it. */
export const closeButton = ({ t }: Texts): Html =>
  html`<div class="end"><button type="button" class="slim" data-close>${t('common.close')}</button></div>`;

/** From an address that does not exist to the first page of the console or of the portal. The paywall has none. */
function wayOn({ address }: Visit, { t }: Texts): Html | false {
  const [home] = /^\/(?:console|operator|portal\/[\w-]{36})(?=[/?]|$)/.exec(address) ?? [];
  if (home === undefined) return false;
  const text = home.startsWith('/portal') ? t('links.goOn') : t('console.sections.overview');
  return html`<p><a class="button" href="${home}">${text}</a></p>`;
}
