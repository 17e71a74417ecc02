import { type Visit } from '../../kit/pages/page';
import { ar } from './messages/ar';
import { arDefinitions } from './messages/console/ar/definitions';
import { type Catalogue, en, type Forms } from './messages/en';

/** The texts of pages: one catalogue a language, in which `{name}` stands for a value. */

export const catalogues = { en, ar } as const;
export type Language = keyof typeof catalogues;

type KeysOf<T, Before extends string = ''> = {
  [Key in keyof T & string]: T[Key] extends string | Forms ? `${Before}${Key}` : KeysOf<T[Key], `${Before}${Key}.`>;
}[keyof T & string];

/** `paywall.signIn`: the section and the name of a text. */
export type TextKey = KeysOf<Catalogue>;

/** A text; `count` chooses among the forms of one that counts something. */
export type Translate = (key: TextKey, values?: Record<string, string | number>) => string;

export interface Texts {
  language: Language;
  direction: 'ltr' | 'rtl';
  /** How the visitor writes numbers and dates: `en-GB`. */
  locale: string;
  t: Translate;
  /** An amount in the major unit: `9.99`, `EUR`. */
  money: (amount: number, currency: string) => string;
  /** Unix seconds as a day. */
  date: (seconds: number) => string;
  /** Unix seconds as a day with its time. */
  dateTime: (seconds: number) => string;
  number: (value: number) => string;
}

const rightToLeft: readonly Language[] = ['ar'];

/** The texts of the most wanted language that there is. */
export function textsFor({ languages }: Pick<Visit, 'languages'>): Texts {
  const wanted = languages.map((tag) => tag.toLowerCase().split('-')[0]);
  const language = wanted.find((tag): tag is Language => tag !== undefined && tag in catalogues) ?? 'en';
  const locale = localeOf(languages[wanted.indexOf(language)] ?? '', language);
  const time = { timeZone: 'UTC' } as const;
  return {
    language,
    direction: rightToLeft.includes(language) ? 'rtl' : 'ltr',
    locale,
    t: (key, values = {}) => translate(language, key, values),
    money: (amount, currency) => new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount),
    date: (seconds) => new Intl.DateTimeFormat(locale, { ...time, dateStyle: 'long' }).format(seconds * 1000),
    dateTime: (seconds) =>
      new Intl.DateTimeFormat(locale, { ...time, dateStyle: 'medium', timeStyle: 'short' }).format(seconds * 1000),
    number: (value) => new Intl.NumberFormat(locale).format(value),
  };
}

/** A visitor's own way of writing numbers and dates, `en-GB`, where the browser tells one. */
function localeOf(tag: string, language: Language): string {
  return /^[a-z]{2,3}-[a-z]{2}$/i.test(tag) ? tag : language;
}

const definitions: Partial<Record<Language, typeof arDefinitions>> = { ar: arDefinitions };

/** What a report's number means, in a language other than the service's own; undefined where it is not said in it. */
export function definitionIn(language: Language, name: string) {
  return definitions[language]?.[name];
}

/** Every text by its key. */
export function flatten(catalogue: object, before = ''): Map<string, string | Forms> {
  const found = new Map<string, string | Forms>();
  for (const [name, value] of Object.entries(catalogue) as [string, string | Forms | object][]) {
    const key = `${before}${name}`;
    if (typeof value === 'string' || isForms(value)) found.set(key, value);
    else for (const [inner, text] of flatten(value, `${key}.`)) found.set(inner, text);
  }
  return found;
}

const flat = { en: flatten(en), ar: flatten(ar) };

function translate(language: Language, key: TextKey, values: Record<string, string | number>): string {
  const found = flat[language].get(key) ?? flat.en.get(key) ?? key;
  const text = typeof found === 'string' ? found : formOf(language, found, Number(values['count'] ?? 0));
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : (value ?? whole);
  });
}

function formOf(language: Language, forms: Forms, count: number): string {
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
}

function isForms(value: object): value is Forms {
  return 'other' in value && typeof value.other === 'string';
}
