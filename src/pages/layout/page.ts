import { type AppError } from '../../kit/errors';
import { html, Html, type Written } from '../../kit/html';
import { Shown, type ShownOptions, type Visit } from '../../kit/pages/page';
import { isTestEnvironment } from '../../platform/service';
import { assetAddress } from './assets';
import { explain } from './explain';
import { catalogues, type Texts, textsFor } from './texts';
import { houseTheme, type Theme, themeProperties } from './theme';

/** Everything around a page's own content. */
export interface Frame {
  /** In the browser's tab, before the theme's name. */
  title: string;
  theme?: Theme;
  /** Of a form or a dialogue; else as wide as a list needs. */
  isNarrow?: boolean;
  /** In the banner: navigation, who is signed in. */
  banner?: Html;
  /** Without banner and foot: in a frame of another page. */
  isBare?: boolean;
  /** A ribbon tells that no money moves; without it, by the environment. */
  isTest?: boolean;
}

/**
 * What a handler answers: the content alone where htmx asked for it, else the whole page around it. Give the content an
 * `id` on its outermost element, and let forms aim at that (`hx-target`).
 */
export function show(visit: Visit, frame: Frame, content: Html, options: ShownOptions = {}): Shown {
  return new Shown(visit.isFragment ? content : wholePage(visit, frame, content), options);
}

function wholePage(visit: Visit, frame: Frame, content: Html): Html {
  const head = html`<meta name="htmx-config" content="${htmxSettings(visit)}" />
    <link rel="icon" href="data:," />
    <link rel="stylesheet" nonce="${visit.nonce}" href="${assetAddress('style.css')}" />
    <style nonce="${visit.nonce}">
      ${themeProperties(frame.theme ?? houseTheme)}
    </style>
    <script nonce="${visit.nonce}" src="${assetAddress('htmx.js')}" defer></script>
    <script nonce="${visit.nonce}" src="${assetAddress('page.js')}" defer></script>`;
  const attributes = html`hx-headers="${JSON.stringify({ 'X-Page-Token': visit.pageToken })}"`;
  const inLanguage = (tag: string) => withLanguage(visit, tag);
  const texts = textsFor(visit);
  // Nobody takes what is bought there for a sale, whichever page of ours it is.
  const shown = { isTest: isTestEnvironment, ...frame };
  const lost = html`<p class="lost" role="status" data-lost="${texts.t('common.offline')}"></p>`;
  return documentOf({ texts, frame: shown, head, attributes, inLanguage }, html`${lost} ${content}`);
}

interface Surroundings {
  texts: Texts;
  frame: Frame;
  /** What the page loads. */
  head: Html;
  /** Of the body. */
  attributes?: Html;
  /** The address of the same page in another language; without it no other is offered. */
  inLanguage?: ((tag: string) => string) | undefined;
}

/** A whole document in the one frame that all pages have. */
export function documentOf({ texts, frame, head, attributes, inLanguage }: Surroundings, content: Html): Html {
  const { theme = houseTheme, isBare = false } = frame;
  const { language, direction, t } = texts;
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${frame.title} · ${theme.name}</title>
        ${head}
      </head>
      <body class="${isBare ? 'bare' : ''}" ${attributes}>
        <a class="skip visually-hidden" href="#content">${t('common.skip')}</a>
        ${frame.isTest ? html`<div class="ribbon" role="note">${t('common.testMode')}</div>` : ''}
        ${isBare ? '' : bannerOf(theme, frame.banner)}
        <main id="content" tabindex="-1" class="${frame.isNarrow ? 'narrow' : 'wide'}">${content}</main>
        ${isBare ? '' : footOf(texts, theme, inLanguage)}
      </body>
    </html>`;
}

/** htmx runs no text as a script, and shows an answer whatever its status: a refused form is its form again. */
function htmxSettings({ nonce }: Visit): string {
  return JSON.stringify({
    allowEval: false,
    allowScriptTags: false,
    includeIndicatorStyles: false,
    inlineScriptNonce: nonce,
    historyCacheSize: 0,
    // What comes is at work the moment it is seen: whoever is quick loses no change.
    defaultSettleDelay: 0,
    selfRequestsOnly: true,
    responseHandling: [
      { code: '204', swap: false },
      { code: '[2345]..', swap: true },
    ],
  });
}

function bannerOf(theme: Theme, banner: Written): Html {
  const sign =
    theme.logoUrl === '' ? html`<bdi>${theme.name}</bdi>` : html`<img src="${theme.logoUrl}" alt="${theme.name}" />`;
  return html`<header class="banner">
    <div class="banner-in"><span class="brand">${sign}</span>${banner}</div>
  </header>`;
}

function footOf(texts: Texts, theme: Theme, inLanguage: Surroundings['inLanguage']): Html {
  const { t } = texts;
  const terms = theme.termsUrl === '' ? '' : html`<a href="${theme.termsUrl}" rel="noopener">${t('common.terms')}</a>`;
  return html`<footer class="foot">
    <div class="foot-in">
      <div>${new Html(theme.footer)}</div>
      ${terms} ${inLanguage && otherLanguages(texts, inLanguage)}
    </div>
  </footer>`;
}

function otherLanguages({ language, t }: Texts, inLanguage: (tag: string) => string): Html {
  const others = Object.keys(catalogues).filter((tag) => tag !== language);
  const links = others.map((tag) => {
    const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag);
    return html`<a href="${inLanguage(tag)}" lang="${tag}" hreflang="${tag}">${name ?? tag}</a>`;
  });
  return html`<nav class="push" aria-label="${t('common.language')}">${links}</nav>`;
}

function withLanguage({ address, method }: Visit, tag: string): string {
  const [path = '', query = ''] = address.split('?');
  const parameters = new URLSearchParams(method === 'get' ? query : '');
  parameters.set('lang', tag);
  return `${path}?${parameters.toString()}`;
}

/** Where nothing better can be shown: what went wrong, and what one can do. */
export function errorPage(visit: Visit, error: AppError): Html {
  const texts = textsFor(visit);
  const { t } = texts;
  const known = explain(texts, error).message;
  const isLost = error.status === 404;
  const title = t(isLost ? 'common.lostTitle' : 'common.errorTitle');
  const content = html`<div class="card stack" role="alert">
    <h1>${title}</h1>
    <p>${known}</p>
    ${
      (visit.method === 'get' && !isLost) || error.code === 'page_expired'
        ? html`<p><a class="button" href="${visit.method === 'get' ? visit.address : ''}">${t('common.reload')}</a></p>`
        : ''
    }
  </div>`;
  return visit.isFragment ? content : wholePage(visit, { title, isNarrow: true }, content);
}
