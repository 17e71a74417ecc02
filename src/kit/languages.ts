import { type TextValues } from './locales';

/** The languages of pages for customers and of mails. */
export const languages = ['en', 'ar', 'de', 'es', 'fr', 'it', 'pt', 'tr'] as const;
export type Language = (typeof languages)[number];

/** The languages of the pages for merchants and operators, and of reports. */
export const consoleLanguages = ['en', 'ar'] as const;
export type ConsoleLanguage = (typeof consoleLanguages)[number];

const rightToLeft: readonly Language[] = ['ar'];

export const directionOf = (language: Language) => (rightToLeft.includes(language) ? 'rtl' : 'ltr');

const [isolate, pop] = ['\u2068', '\u2069'];
/** The values that people copy: addresses, references and tax numbers. A name such as `T-Online` looks like them. */
const copied = ['address', 'number', 'stopUrl', 'token'];
const isIsolated = (name: string, value: string | number) =>
  typeof value === 'string' && /\p{Script=Latin}/u.test(value) && !copied.includes(name);

/**
 * The values of a text. In a language from right to left, a value in Latin letters gets the invisible marks that keep it
 * apart: without them, a number or a bracket beside the value stands at its wrong side. What people copy stays as it is,
 * because the marks would be copied with it.
 */
export function isolatedIn(language: Language, values: TextValues): TextValues {
  if (directionOf(language) === 'ltr') return values;
  const kept = Object.entries(values).map(
    ([name, value]) => [name, isIsolated(name, value) ? `${isolate}${value}${pop}` : value] as const,
  );
  return Object.fromEntries(kept);
}

/** A formatted date with its day beside its month on one line, where the language writes the day with a dot: `3. Dezember`. */
export const unbrokenDay = (date: string): string => date.replaceAll(/(\d\.) /g, '$1\u00a0');

/** The first tag, such as `ar-EG`, whose language is available. */
export function matchLanguage(
  tags: readonly string[],
  available: readonly Language[] = languages,
): { language: Language; tag: string } | undefined {
  for (const tag of tags) {
    const language = available.find((name) => name === tag.toLowerCase().split('-')[0]);
    if (language) return { language, tag };
  }
  return undefined;
}

/** The name of a language in the language itself: `Deutsch`. */
export function languageName(language: Language): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
