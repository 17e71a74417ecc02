import { Answer, type RequestFacts } from '../../kit/endpoint';
import { html, Html } from '../../kit/html';
import { chosenLanguage, languagesOf } from '../../kit/pages/languages';
import { isTestEnvironment } from '../../platform/service';
import { documentOf, type Frame } from './page';
import { plainStyleSheet } from './style';
import { type Texts, textsFor } from './texts';
import { houseTheme, themeProperties } from './theme';

/**
 * Pages that are reached by a link from outside, of a mail or of a bank: they run no script, carry their style and need
 * neither a session nor a page's token.
 */

export const plainTexts = (request: RequestFacts): Texts => textsFor({ languages: languagesOf(request) });

export interface PlainFrame extends Pick<Frame, 'title' | 'theme' | 'isTest'> {
  /** It tells of what was done just now: the same address shows something else in another language. */
  isDone?: boolean;
  /** What the page may do besides: directives of its Content-Security-Policy. */
  allows?: readonly string[];
}

/** A merchant's logo, and what its footer shows. */
export const picturesAllowed = `img-src https:${isTestEnvironment ? ' http:' : ''}`;

export function plainPage(request: RequestFacts, { allows, isDone, ...frame }: PlainFrame, content: Html) {
  const head = html`<style>
    ${new Html(plainStyleSheet)} ${themeProperties(frame.theme ?? houseTheme)}
  </style>`;
  const inLanguage = isDone ? undefined : (tag: string) => sameIn(request, tag);
  const whole = documentOf(
    { texts: plainTexts(request), frame: { ...frame, isNarrow: true }, head, inLanguage },
    html`<section class="card stack">${content}</section>`,
  );
  return new Answer(whole.text, { contentType: 'text/html; charset=utf-8', headers: plainHeaders(allows) });
}

export function plainHeaders(allows: readonly string[] = []): Record<string, string> {
  const policy = ["default-src 'none'", "style-src 'unsafe-inline'", ...allows, "base-uri 'none'"].join('; ');
  return { 'Content-Security-Policy': policy };
}

/** Relative: the page's own address, with the language in the place of an earlier one. */
function sameIn({ queryText }: RequestFacts, tag: string): string {
  const parameters = new URLSearchParams(queryText);
  parameters.set('lang', tag);
  return `?${parameters.toString()}`;
}

/** An address to go on to, in the language that this page was asked for in. */
export function keepingLanguage(request: RequestFacts, address: string): string {
  const language = chosenLanguage(request);
  return language === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}lang=${language}`;
}
