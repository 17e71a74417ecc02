import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { errorCatalogue, type ErrorCode } from '../../src/kit/errors';
import { promisedErrors } from '../../src/kit/openapi';
import { type Route } from '../../src/kit/routes';
import { unofferedEndpoints } from '../../src/subscriptions/methods/unoffered.endpoints';
import { parse } from './imports';

/** Operation → the titles of its tests. */
export type Titles = ReadonlyMap<string, readonly string[]>;

/**
 * The titles of every test file, by the operation that the file is named after: `authenticate.test.ts` and
 * `authenticate.refresh.test.ts` are tests of `authenticate`.
 */
export function readTitles(folder: string): Titles {
  const titles = new Map<string, string[]>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.test.ts')) continue;
    const operation = path.basename(file).split('.')[0] ?? '';
    titles.set(operation, [
      ...(titles.get(operation) ?? []),
      ...titlesOf(readFileSync(path.join(folder, file), 'utf8')),
    ]);
  }
  return titles;
}

/** The titles of the tests of a text: of `test(…)`, `it(…)` and their `each`, never of one that is skipped. */
export function titlesOf(text: string): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isTest(node.expression)) {
      const [title] = node.arguments;
      if (title && ts.isStringLiteralLike(title)) titles.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(parse('test.ts', text));
  return titles;
}

function isTest(called: ts.Expression): boolean {
  if (ts.isIdentifier(called)) return called.text === 'test' || called.text === 'it';
  // `test.each(rows)(title)`, with or without the row's type.
  const each = ts.isCallExpression(called) ? called.expression : undefined;
  return (
    each !== undefined && ts.isPropertyAccessExpression(each) && each.name.text === 'each' && isTest(each.expression)
  );
}

/** Calls of existing clients for payment methods that are not offered: they never succeed. */
const refusing = Object.values(unofferedEndpoints) as unknown[];

/** What an endpoint promises, in the words that a title opens with: `200`, `409 account_exists`. */
export function promisesOf({ endpoint }: Route): string[] {
  const successes = refusing.includes(endpoint) ? [] : [String(endpoint.status), ...(endpoint.pending ? ['202'] : [])];
  const errors = promisedErrors(endpoint).map((code) => `${errorCatalogue[code].status} ${code}`);
  return [...new Set([...successes, ...errors])];
}

/** Twins of one operation share its tests: `createAccountV2` those of `createAccount`. */
export function operationOf({ name }: Route): string {
  return name.replace(/V\d+$/, '');
}

/**
 * The promises that follow from `auth` and the schemas alone. Generated tests in `test/architecture` prove them for every
 * endpoint: `authorization` each caller, `badInput` each field, and `features` each feature that is turned off.
 */
export const generatedPromises = [
  '401 invalid_auth_token',
  '403 forbidden',
  '403 recent_factor_required',
  '403 recent_password_required',
  '403 second_factor_missing',
  '403 feature_disabled',
  '400 missing_parameter',
  '422 invalid_input',
];

/** Promises for which no test answers. */
export function untestedPromises(routes: readonly Route[], titles: Titles): string[] {
  return routes.flatMap((route) => {
    const operation = operationOf(route);
    const tested = titles.get(operation) ?? [];
    const isTested = (promise: string) => tested.some((title) => new RegExp(`^${promise}(?![\\w ])`).test(title));
    return promisesOf(route)
      .filter((promise) => !generatedPromises.includes(promise) && !isTested(promise))
      .map((promise) => `${route.name}: no test in ${operation}*.test.ts has a title that starts with "${promise}"`);
  });
}

/** Titles that promise an error that the catalogue does not have, or has under another status. */
export function unknownPromises(titles: Titles): string[] {
  const known = (status: string, code: string) => errorCatalogue[code as ErrorCode]?.status === Number(status);
  return [...titles].flatMap(([operation, texts]) =>
    texts
      .map((title) => /^(\d{3}) ([a-z_]+):/.exec(title))
      .filter((found) => found !== null)
      .filter(([, status = '', code = '']) => !known(status, code))
      .map(([promise]) => `${operation}: "${promise}" is in no catalogue`),
  );
}
