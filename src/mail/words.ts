import { formatAmount } from '../billing/money';
import { type Language } from '../kit/languages';
import { type KeysOf, type TextValues, translator } from '../kit/locales';
import ar from './locales/ar.json';
import en from './locales/en.json';

/** The texts of mails, with days and amounts as the language writes them. */

export const mailLocales = { en, ar } as const satisfies Partial<Record<Language, object>>;
export type MailKey = KeysOf<typeof en>;

export interface Words {
  language: Language;
  t: (key: MailKey, values?: TextValues) => string;
  /** A day in UTC, from an ISO 8601 text. */
  day: (iso: string) => string;
  /** Two days, or one if they are the same. */
  days: (from: string, to: string) => string;
  money: (amountMinor: number, currency: string) => string;
}

const english = wordsOf('en', 'en-GB');

export const wordsIn: Record<Language, Words> = {
  en: english,
  ar: wordsOf('ar', 'ar'),
  de: english,
  es: english,
  fr: english,
  it: english,
  pt: english,
  tr: english,
};

function wordsOf(language: keyof typeof mailLocales, locale: string): Words {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  return {
    language,
    t: translator(language, mailLocales[language]),
    day: (iso) => format.format(new Date(iso)),
    days: (from, to) =>
      from === to ? format.format(new Date(from)) : format.formatRange(new Date(from), new Date(to)),
    money: (amountMinor, currency) => formatAmount(amountMinor, currency, language === 'en' ? 'en-US' : locale),
  };
}
