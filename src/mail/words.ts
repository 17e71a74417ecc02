import { formatAmount } from '../billing/money';
import { type Language, unbrokenDay } from '../kit/languages';
import { onceForEach } from '../kit/lazily';
import { type KeysOf, type TextValues, translator } from '../kit/locales';
import { findWalletName, isOfForm, type MethodName } from '../kit/paymentMethods';
import ar from './locales/ar.json';
import de from './locales/de.json';
import en from './locales/en.json';
import es from './locales/es.json';
import fr from './locales/fr.json';
import it from './locales/it.json';
import pt from './locales/pt.json';
import tr from './locales/tr.json';

/** The texts of mails and documents, with days and amounts as the language writes them. A missing text is English. */

export const mailLocales = { en, ar, de, es, fr, it, pt, tr } as const satisfies Record<Language, object>;
export type MailKey = KeysOf<typeof en>;

export interface Words {
  language: Language;
  t: (key: MailKey, values?: TextValues) => string;
  /** The day of an instant in ISO 8601, in UTC; or a day of the calendar, which has no zone. */
  day: (iso: string) => string;
  /** Two days, or one if they are the same. */
  days: (from: string, to: string) => string;
  /** A day in a time zone of the IANA database. */
  dayIn: (at: Date, timeZone: string) => string;
  daysIn: (from: Date, to: Date, timeZone: string) => string;
  /** The name of a country, from its code of two letters. */
  country: (code: string) => string;
  money: (amountMinor: number, currency: string) => string;
  /** Thousandths of a percent: 19000 is "19%". */
  percent: (milliPercent: number) => string;
}

/** The texts and formats of a language. */
export const wordsIn = onceForEach((language: Language): Words => {
  const locale = language === 'en' ? 'en-GB' : language;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const formatIn = (timeZone: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone });
  const range = (used: Intl.DateTimeFormat, from: Date, to: Date) => unbrokenDay(used.formatRange(from, to));
  const dayOf = (iso: string) => unbrokenDay(format.format(new Date(iso)));
  const countries = new Intl.DisplayNames(locale, { type: 'region' });
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 3 });
  return {
    language,
    t: translator(language, mailLocales[language], en),
    day: dayOf,
    days: (from, to) => (from === to ? dayOf(from) : range(format, new Date(from), new Date(to))),
    dayIn: (at, timeZone) => unbrokenDay(formatIn(timeZone).format(at)),
    daysIn: (from, to, timeZone) => range(formatIn(timeZone), from, to),
    country: (code) => countries.of(code) ?? code,
    money: (amountMinor, currency) => formatAmount(amountMinor, currency, language === 'en' ? 'en-US' : locale),
    percent: (milliPercent) => percents.format(milliPercent / 100_000),
  };
});

const calendarDays = /^\d{4}-\d\d-\d\d$/;

/** The same, with the day that an instant has in a time zone. */
export function wordsAt(language: Language, zone = 'UTC'): Words {
  const words = wordsIn(language);
  return { ...words, day: (iso) => (calendarDays.test(iso) ? words.day(iso) : words.dayIn(new Date(iso), zone)) };
}

/** The reason of a decline in words for the method that pays. An unknown reason is shown as a decline without a reason. */
export function declineText(reason: string, t: Words['t'], method: MethodName = 'card'): string {
  const isPaypal = method === 'paypal';
  const isOfCard = isOfForm(method) || findWalletName(method) !== undefined;
  const ofPaypal = isPaypal ? [`paypalDeclines.${reason}`] : [];
  const ofAll = isOfCard || !cardReasons.includes(reason) ? [`declines.${reason}`] : [];
  const known = [...ofPaypal, ...ofAll].find((key) => t(key as MailKey) !== key);
  return t(known === undefined ? (isPaypal ? 'paypalDeclines.declined' : 'declines.declined') : (known as MailKey));
}

/** Their texts are about a card. A provider can answer them for another method too. */
const cardReasons = ['expired_card', 'lost_card', 'card_tried_too_often', 'authentication_failed'];

/** The reason of a bank for a dispute. An unknown one is shown in the words of the card provider. */
export function disputeText(reason: string, t: Words['t']): string {
  const key = `disputeReasons.${reason}`;
  const text = t(key as MailKey);
  return text === key ? reason.replaceAll('_', ' ') : text;
}
