import { type RequestFacts } from '../endpoint';
import { consoleLanguages, type Language, languages, matchLanguage } from '../languages';
import { type Area, readCookie } from './session';

/** The languages of a visitor, as language tags in order of preference. */

export const languageCookie = 'language';

/** The visitor's choice comes first: from the address, then from the cookie. The order of the browser follows. */
export function languagesOf(facts: Pick<RequestFacts, 'queryText' | 'cookies' | 'acceptLanguage'>): string[] {
  const accepted = (facts.acceptLanguage ?? '').split(',').map((entry) => {
    const [tag = '', quality] = entry.trim().split(';q=');
    return { tag, weight: quality === undefined ? 1 : Number(quality) };
  });
  const chosen = [chosenLanguage(facts), keptLanguage(facts)];
  const inOrder = accepted.sort((one, other) => other.weight - one.weight).map(({ tag }) => tag);
  return [...chosen.filter((tag) => tag !== undefined), ...inOrder];
}

/** The language in the parameter `lang` of the address. Pages store it in the cookie. */
export function chosenLanguage({ queryText }: Pick<RequestFacts, 'queryText'>): string | undefined {
  const tag = new URLSearchParams(queryText).get('lang') ?? '';
  return /^[a-z]{2,3}$/.test(tag) ? tag : undefined;
}

/** The language is not secret, so the cookie may have the name for https or the name for http. */
function keptLanguage({ cookies }: Pick<RequestFacts, 'cookies'>): string | undefined {
  return readCookie(cookies, languageCookie, true) ?? readCookie(cookies, languageCookie, false);
}

/** The languages of the pages of an area. */
export const languagesFor = (area: Area['kind']): readonly Language[] =>
  area === 'customer' ? languages : consoleLanguages;

/** The first of the visitor's languages that pages and mails have. */
export function requestLanguage(facts: Parameters<typeof languagesOf>[0]): Language | undefined {
  return matchLanguage(languagesOf(facts))?.language;
}
