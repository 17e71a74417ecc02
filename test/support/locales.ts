import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { nameOf } from '../../scripts/localeFaults';
import { flatten } from '../../src/kit/locales';
import { parse } from './imports';

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
