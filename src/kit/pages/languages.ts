import { type RequestFacts } from '../endpoint';
import { type Language, matchLanguage } from '../languages';
import { readCookie } from './session';

/** Which languages a visitor reads: language tags, the most wanted first. */

export const languageCookie = 'language';

/** A choice first, in the address or an earlier one, then the browser's own order. */
export function languagesOf(facts: Pick<RequestFacts, 'queryText' | 'cookies' | 'acceptLanguage'>): string[] {
  const accepted = (facts.acceptLanguage ?? '').split(',').map((entry) => {
    const [tag = '', quality] = entry.trim().split(';q=');
    return { tag, weight: quality === undefined ? 1 : Number(quality) };
  });
  const chosen = [chosenLanguage(facts), keptLanguage(facts)];
  const inOrder = accepted.sort((one, other) => other.weight - one.weight).map(({ tag }) => tag);
  return [...chosen.filter((tag) => tag !== undefined), ...inOrder];
}

/** The choice that an address makes with `lang`; where a page keeps it, it holds from then on. */
export function chosenLanguage({ queryText }: Pick<RequestFacts, 'queryText'>): string | undefined {
  const tag = new URLSearchParams(queryText).get('lang') ?? '';
  return /^[a-z]{2,3}$/.test(tag) ? tag : undefined;
}

/** No secret: by whichever name it was set, that of https or that of plain http. */
function keptLanguage({ cookies }: Pick<RequestFacts, 'cookies'>): string | undefined {
  return readCookie(cookies, languageCookie, true) ?? readCookie(cookies, languageCookie, false);
}

/** The first of the visitor's languages that pages and mails have. */
export function requestLanguage(facts: Parameters<typeof languagesOf>[0]): Language | undefined {
  return matchLanguage(languagesOf(facts))?.language;
}
