import { directionOf, type Language, matchLanguage } from '../../kit/languages';
import { type KeysOf, type TextValues, translator } from '../../kit/locales';
import { type Visit } from '../../kit/pages/page';
import ar from '../locales/ar.json';
import de from '../locales/de.json';
import en from '../locales/en.json';
import es from '../locales/es.json';
import fr from '../locales/fr.json';
import it from '../locales/it.json';
import pt from '../locales/pt.json';
import tr from '../locales/tr.json';

/**
 * The texts of pages: a locale for each language. Only the languages of the console have the sections of the console
 * and of the operators. A text that a language lacks is English.
 */

export const locales = { en, ar, de, es, fr, it, pt, tr } as const satisfies Record<Language, object>;
export type TextKey = KeysOf<typeof en>;

/** Returns a text. `count` selects its plural form. */
export type Translate = (key: TextKey, values?: TextValues) => string;

const translators = Object.fromEntries(
  Object.entries(locales).map(([language, locale]) => [language, translator(language, locale, en)]),
) as Record<Language, Translate>;

export interface Texts {
  language: Language;
  direction: 'ltr' | 'rtl';
  /** The locale of numbers and dates, such as `en-GB`. */
  locale: string;
  t: Translate;
  /** An amount in the major unit: `9.99`, `EUR`. */
  money: (amount: number, currency: string) => string;
  /** The time zone of the visitor, or UTC. */
  zone: string;
  /** Unix seconds as the day in the visitor's zone. */
  date: (seconds: number) => string;
  /** The same with a short month, for tables. */
  shortDate: (seconds: number) => string;
  /** A day of the calendar, such as a date of birth, from ISO 8601. It is the same day in every zone. */
  calendarDay: (day: string) => string;
  /** Unix seconds as a day with its time in the visitor's zone. A time in UTC says so if the zone is not known. */
  dateTime: (seconds: number) => string;
  number: (value: number) => string;
  /** `19` as "19%". */
  percent: (value: number) => string;
}

type Reader = Pick<Visit, 'languages'> & Partial<Pick<Visit, 'offered' | 'zone'>>;

/** The texts of the visitor's most preferred available language. */
export function textsFor({ languages, offered, zone }: Reader): Texts {
  const { language, tag } = matchLanguage(languages, offered) ?? { language: 'en', tag: '' };
  const locale = localeOf(tag, language);
  const format = (options: Intl.DateTimeFormatOptions, timeZone = zone ?? 'UTC') =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone });
  const utcMark = zone === undefined ? ' (UTC)' : '';
  return {
    language,
    direction: directionOf(language),
    locale,
    t: translators[language],
    money: (amount, currency) => new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount),
    zone: zone ?? 'UTC',
    date: (seconds) => format({ dateStyle: 'long' }).format(seconds * 1000),
    shortDate: (seconds) => format({ dateStyle: 'medium' }).format(seconds * 1000),
    calendarDay: (day) => format({ dateStyle: 'long' }, 'UTC').format(new Date(day)),
    dateTime: (seconds) => format({ dateStyle: 'medium', timeStyle: 'short' }).format(seconds * 1000) + utcMark,
    number: (value) => new Intl.NumberFormat(locale).format(value),
    percent: (value) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 3 }).format(value / 100),
  };
}

/** The locale of the browser, such as `en-GB`, or else the language. */
function localeOf(tag: string, language: Language): string {
  return /^[a-z]{2,3}-[a-z]{2}$/i.test(tag) ? tag : language;
}

/** The text for a name that an endpoint returned, or the name itself if there is no text. */
export function named({ t }: Texts, section: string, name: string): string {
  const key = `console.${section}.${name.replaceAll(/[.:]/g, '_')}`;
  const text = t(key as TextKey);
  return text === key ? name : text;
}
