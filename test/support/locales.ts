import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { flatten } from '../../src/kit/locales';
import { parse } from './imports';

/** Languages and their locales. */
export type Locales = Record<string, object>;

const form = /_(zero|one|two|few|many|other)$/;
const nameOf = (key: string) => key.replace(form, '');

/** The forms of each text by its key: one form under `''`, or one for each plural category. */
function formsOf(locale: object): Map<string, Map<string, string>> {
  const texts = new Map<string, Map<string, string>>();
  for (const [key, text] of flatten(locale)) {
    const forms = texts.get(nameOf(key)) ?? new Map<string, string>();
    texts.set(nameOf(key), forms.set(form.exec(key)?.[1] ?? '', text));
  }
  return texts;
}

/** What a translator must correct; empty if the locales agree with the English one. */
export function localeFaults({ en = {}, ...others }: Locales): string[] {
  const english = formsOf(en);
  return Object.entries({ en, ...others }).flatMap(([language, locale]) => {
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
  }
  return faults;
}

function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))].sort();
}

/**
 * The keys that no file of a folder names, as a string or as a template such as `states.${state}`. A call
 * `named(texts, 'events', name)` names the section `console.events`.
 */
export function unusedKeys(locale: object, folder: string): string[] {
  const literals = new Set<string>();
  const patterns: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) literals.add(node.text);
    if (ts.isTemplateExpression(node)) patterns.push(patternOf(node));
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'named') {
      const [, section] = node.arguments;
      if (section && ts.isStringLiteralLike(section)) patterns.push(`console\\.${section.text}\\.[^.]+`);
    }
    ts.forEachChild(node, visit);
  };
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts')) visit(parse(file, readFileSync(path.join(folder, file), 'utf8')));
  }
  const templates = patterns.filter((pattern) => /^\w+\\\./.test(pattern) && !/\[\^\.\]\+\\\.\[/.test(pattern));
  const isNamed = new RegExp(`^(${templates.join('|')})$`);
  const names = new Set([...flatten(locale).keys()].map(nameOf));
  return [...names].filter((name) => !literals.has(name) && !isNamed.test(name));
}

function patternOf({ head, templateSpans }: ts.TemplateExpression): string {
  const texts = [head.text, ...templateSpans.map(({ literal }) => literal.text)];
  return texts.map((text) => text.replaceAll(/[^\w]/g, '\\$&')).join('[^.]+');
}
