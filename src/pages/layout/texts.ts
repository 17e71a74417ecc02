import { directionOf, type Language, matchLanguage, unbrokenDay } from '../../kit/languages';
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
  /** The time zone of the visitor; if it is not known, of the merchant, or else UTC. */
  zone: string;
  /** Unix seconds as the day in the zone. It names the zone if it is not the visitor's. */
  date: (seconds: number) => string;
  /** The day with a short month, for tables, without the zone. */
  shortDate: (seconds: number) => string;
  /** A day of the calendar, such as a date of birth, from ISO 8601. It is the same day in every zone. */
  calendarDay: (day: string) => string;
  /** Unix seconds as a day with its time in the zone. It names the zone if it is not the visitor's. */
  dateTime: (seconds: number) => string;
  number: (value: number) => string;
  /** `19` as "19%". */
  percent: (value: number) => string;
  /** The name of a country from its code of two letters. Another text stays. */
  country: (code: string) => string;
  /** Texts with the comma of the language between them, without the empty ones. */
  series: (parts: readonly string[]) => string;
}

type Reader = Pick<Visit, 'languages'> & Partial<Pick<Visit, 'offered' | 'zone'>>;

/** The texts of the visitor's most preferred available language. `merchantZone`: for a visitor whose zone is not known. */
export function textsFor({ languages, offered, zone: visitorZone }: Reader, merchantZone = 'UTC'): Texts {
  const { language, tag } = matchLanguage(languages, offered) ?? { language: 'en', tag: '' };
  const locale = localeOf(tag, language);
  const zone = visitorZone ?? merchantZone;
  const format = (at: number | Date, options: Intl.DateTimeFormatOptions, timeZone = zone) =>
    unbrokenDay(new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(at));
  const zoneMark = visitorZone === undefined ? ` (${zone.replaceAll('_', ' ')})` : '';
  return {
    language,
    direction: directionOf(language),
    locale,
    t: translators[language],
    money: (amount, currency) => new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount),
    zone,
    date: (seconds) => format(seconds * 1000, { dateStyle: 'long' }) + zoneMark,
    shortDate: (seconds) => format(seconds * 1000, { dateStyle: 'medium' }),
    calendarDay: (day) => format(new Date(day), { dateStyle: 'long' }, 'UTC'),
    dateTime: (seconds) => format(seconds * 1000, { dateStyle: 'medium', timeStyle: 'short' }) + zoneMark,
    number: (value) => new Intl.NumberFormat(locale).format(value),
    percent: (value) =>
      new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 3 }).format(value / 100),
    country: (code) =>
      /^[A-Z]{2}$/.test(code) ? (new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? code) : code,
    series: (parts) => parts.filter((part) => part !== '').join(language === 'ar' ? '، ' : ', '),
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
