import { consoleLanguages } from '../src/kit/languages';
import { flatten } from '../src/kit/locales';

/** Languages and their locales. */
export type Locales = Record<string, object>;

const form = /_(zero|one|two|few|many|other)$/;
/** The key of a text without its plural category. */
export const nameOf = (key: string) => key.replace(form, '');

/** The forms of each text by its key: one form under `''`, or one for each plural category. */
function formsOf(locale: object): Map<string, Map<string, string>> {
  const texts = new Map<string, Map<string, string>>();
  for (const [key, text] of flatten(locale)) {
    const forms = texts.get(nameOf(key)) ?? new Map<string, string>();
    texts.set(nameOf(key), forms.set(form.exec(key)?.[1] ?? '', text));
  }
  return texts;
}

/** Only the languages of the console have its texts and those of the operators. */
export const isOfPages = (language: string, key: string) =>
  (consoleLanguages as readonly string[]).includes(language) || !/^(console|operator)\./.test(key);

/**
 * What a translator must correct; empty if the locales agree with the English one. `expects`: whether a language has a
 * key of English.
 */
export function localeFaults(
  { en = {}, ...others }: Locales,
  expects: (language: string, key: string) => boolean = () => true,
): string[] {
  const all = formsOf(en);
  return Object.entries({ en, ...others }).flatMap(([language, locale]) => {
    const english = new Map([...all].filter(([key]) => expects(language, key)));
    const texts = formsOf(locale);
    const missing = [...english.keys()].filter((key) => !texts.has(key)).map((key) => `${language} lacks ${key}`);
    const faults = [...texts].flatMap(([key, forms]) => {
      const source = english.get(key);
      if (!source) return [`${language} has ${key}, which English lacks`];
      return formFaults(language, source, forms).map((fault) => `${language} ${key}: ${fault}`);
    });
    return [...missing, ...faults];
  });
}

function formFaults(language: string, source: Map<string, string>, forms: Map<string, string>): string[] {
  const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const expected = source.has('') ? [''] : [...categories].sort();
  const faults: string[] = [];
  if ([...forms.keys()].sort().join() !== expected.join()) faults.push(`has the forms ${[...forms.keys()].join()}`);
  const values = placeholders(source.get('') ?? source.get('other') ?? '');
  for (const [category, text] of forms) {
    if (text.trim() === '') faults.push('is empty');
    // The forms of exact numbers may spell the number out.
    const isExact = ['zero', 'one', 'two'].includes(category);
    const found = placeholders(text);
    const kept = isExact ? values.filter((name) => name !== 'count' || found.includes('count')) : values;
    if (found.join() !== kept.join()) faults.push(`has the placeholders ${found.join()} instead of ${values.join()}`);
    const longest = longestOf(source.get(category) ?? source.get('other') ?? source.get('') ?? '');
    if (text.length > longest) faults.push(`has ${text.length} characters, of which ${longest} fit`);
  }
  return faults;
}

/** The layouts have room for labels with 20 more characters than the English ones, and for sentences of nearly twice the length. */
const longestOf = (source: string) => Math.floor(Math.max(source.length + 20, source.length * 1.9));

function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort();
}
