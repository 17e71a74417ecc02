import { type Texts, type TextKey } from './texts';

/**
 * The errors of fields, for people. The sentences of the service are for developers: they have names of fields, times of ISO
 * 8601 and codes of currencies. Known sentences are translated, and their times and amounts are written in words.
 */

/** `count` and `name` are the first value of the pattern; `least` and `most` are its values. */
const patterns: readonly (readonly [RegExp, TextKey])[] = [
  [/must not be empty/, 'errors.required'],
  [/at least (\d+) characters/, 'errors.tooShort'],
  [/at most (\d+) characters/, 'errors.tooLong'],
  [/payment_token has expired/, 'errors.tokenExpired'],
  [/payment_token has been used/, 'errors.tokenUsed'],
  [/payment_token is not known/, 'errors.tokenUnknown'],
  [/has the placeholder (.+), which this mail does not have/, 'console.mails.unknownPlaceholder'],
  [/is the present one/, 'portal.email.same'],
  [/in use for another saved filter/, 'console.filters.nameTaken'],
  [/list has (\d+) saved filters/, 'console.filters.full'],
  [/list has no filter/, 'console.filters.none'],
  [/no tax rate for ([\w, -]+)\. The operator/, 'console.tax.noRateFor'],
  [/calculation of the provider needs a Stripe account/, 'console.tax.calculationNeedsAccount'],
  [/not registered in VIES/, 'billing.taxNumberNotRegistered'],
  [/confirmation|do(?:es)? not match/i, 'errors.passwordsDiffer'],
  [/must be a card number/, 'errors.cardNumber'],
  [/must be a month from 1 to 12|must be a year of two or four digits/, 'errors.cardExpiry'],
  [/must be three or four digits/, 'errors.cardCode'],
  [/must be (?:between|from) (.+) (?:and|to) 9999-\S+\.$/, 'errors.fromOn'],
  [/must be (?:between|from) (.+) (?:and|to) (.+)\.$/, 'errors.between'],
  [/must be (?:at or before (\S+)|(\S+) or earlier)\.$/, 'errors.atLatest'],
  [/must be in (\d{4}) or earlier/, 'errors.atLatest'],
  [/must be in (\d{4}) or later/, 'errors.fromOn'],
  [/must (?:be at most|not be above) ([^ ]+(?: [A-Z]{3})?)\.$|expected \w+ to be <=(\S+)\.$/, 'errors.atMost'],
  [/must be (?:0 or )?at least ([^ ]+(?: [A-Z]{3})?)\.$|expected \w+ to be >=(\S+)\.$/, 'errors.atLeast'],
  [/must be more than (\S+)\.$|expected \w+ to be >(\S+)\.$/, 'errors.moreThan'],
  [/must be a multiple of ([^ ]+(?: [A-Z]{3})?)(?: in [A-Z]{3})?\.$/, 'errors.multipleOf'],
  [/valid e-mail address/, 'errors.email'],
  [/must be in the future/, 'errors.inFuture'],
  [/must be in the past/, 'errors.inPast'],
  [/must be after the starts_at/, 'errors.afterStart'],
  [/has more decimals than|must have at most two decimals/, 'errors.decimals'],
  [/expected (?:number|int)\b/, 'errors.number'],
  [/must be Unix seconds or an ISO 8601 date/, 'errors.time'],
  [/must be one of |invalid option/, 'errors.notListed'],
  [/must be key:value|is not valid: |(?:the|an?) [a-z]+_[a-z_]+|[A-Z]{3,6} \//, 'errors.invalid'],
];

/** The error of a field, for people. An unknown sentence is shown in English, without the name of its field. */
export function sentence(texts: Texts, text: string): string {
  const { t, language } = texts;
  for (const [pattern, key] of patterns) {
    const found = pattern.exec(text);
    if (!found) continue;
    const [first = '', second = ''] = found.slice(1).filter((value) => value !== undefined);
    const words = inWords(texts, first);
    return t(key, { count: Number(first), name: words, least: words, most: inWords(texts, second) });
  }
  return language === 'en' ? inWords(texts, text.replace(/^The ([\w.]+) must/, 'This must')) : t('errors.invalid');
}

const instants = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g;
const days = /\b\d{4}-\d\d-\d\d\b/g;
const amounts = /(\d+(?:\.\d+)?) ([A-Z]{3})\b/g;

/** A text with its times, days and amounts in words: `2026-11-29T19:22:31.937Z` as "29 Nov 2026, 19:22". */
export function inWords({ dateTime, calendarDay, money }: Texts, text: string): string {
  return text
    .replaceAll(instants, (instant) => dateTime(Date.parse(instant) / 1000))
    .replaceAll(days, (day) => calendarDay(day))
    .replaceAll(amounts, (_whole, amount: string, currency: string) => money(Number(amount), currency));
}
