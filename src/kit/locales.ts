import { once, onceForEach } from './lazily';

/**
 * The texts of a language, in sections. As in i18next, a key that ends with a plural category is one form of a text
 * with a count: `days_one`, `days_other`. A language has a form for each of its categories.
 */

/** The key of a text without its plural category. */
type TextName<Key extends string> = Key extends `${infer Name}_${Intl.LDMLPluralRule}` ? Name : Key;

/** The sections and the name of a text: `paywall.signIn`. */
export type KeysOf<Locale> = {
  [Key in keyof Locale & string]: Locale[Key] extends string ? TextName<Key> : `${Key}.${KeysOf<Locale[Key]>}`;
}[keyof Locale & string];

export type TextValues = Record<string, string | number>;

/**
 * Reads texts: `{name}` is replaced by a value, and `count` selects the plural form. A text that the language lacks is
 * read from the fallback. The texts are prepared at the first use, so that an unused language takes no memory.
 */
export function translator<Key extends string>(language: string, locale: object, fallback: object = {}) {
  const [own, other] = [once(() => textsOf(locale)), once(() => textsOf(fallback))];
  const plurals = once(() => new Intl.PluralRules(language));
  const numbers = once(() => new Intl.NumberFormat(language));
  const find = (key: string) => own().get(key) ?? other().get(key);
  return (key: Key, values: TextValues = {}): string => {
    const { count } = values;
    const form = typeof count === 'number' ? find(`${key}_${plurals().select(count)}`) : undefined;
    const text = form ?? find(key) ?? find(`${key}_other`) ?? key;
    return fillIn(text, values, (number) => numbers().format(number));
  };
}

/** The texts of a locale. All translators share those of the fallback. */
const textsOf = onceForEach((locale: object) => flatten(locale));

/** Replaces each `{name}` by its value. A name without a value stays. */
export function fillIn(text: string, values: TextValues, write: (number: number) => string = String): string {
  return text.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    return typeof value === 'number' ? write(value) : (value ?? placeholder);
  });
}

/** All texts, by key. */
export function flatten(locale: object, section = ''): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of Object.entries(locale) as [string, string | object][]) {
    const key = `${section}${name}`;
    if (typeof value === 'string') texts.set(key, value);
    else for (const [inner, text] of flatten(value, `${key}.`)) texts.set(inner, text);
  }
  return texts;
}
