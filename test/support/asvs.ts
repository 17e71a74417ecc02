import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { parse } from './imports';

/** The answers of docs/security/asvs.md, and the list of what must be answered. */

export const answers = ['met', 'not applicable', 'not met'] as const;

/** The requirements of ASVS 5.0.0 by section and level: `1.2: 1-5` stands for 1.2.1 to 1.2.5. */
const levelOne = [
  ...['1.2: 1-5', '1.3: 1-2', '1.5: 1', '2.1: 1', '2.2: 1-2', '2.3: 1', '3.2: 1-2', '3.3: 1', '3.4: 1-2', '3.5: 1-3'],
  ...['4.1: 1', '4.4: 1', '5.2: 1-2', '5.3: 1-2', '6.1: 1', '6.2: 1-8', '6.3: 1-2', '6.4: 1-2', '7.2: 1-4', '7.4: 1-2'],
  ...['8.1: 1', '8.2: 1-2', '8.3: 1', '9.1: 1-3', '9.2: 1', '10.4: 1-5', '11.3: 1-2', '11.4: 1', '12.1: 1'],
  ...['12.2: 1-2', '13.4: 1', '14.2: 1', '14.3: 1', '15.1: 1', '15.2: 1', '15.3: 1'],
];
const levelTwo = [
  ...['1.1: 1-2', '1.2: 6-9', '1.3: 3-11', '1.4: 1-3', '1.5: 2', '2.1: 2-3', '2.2: 3', '2.3: 2-4', '2.4: 1'],
  ...['3.3: 2-4', '3.4: 3-6', '3.5: 4-5', '3.7: 1-2', '4.1: 2-3', '4.2: 1', '4.3: 1-2', '4.4: 2-4', '5.1: 1', '5.2: 3'],
  ...['5.4: 1-3', '6.1: 2-3', '6.2: 9-12', '6.3: 3-4', '6.4: 3-4', '6.5: 1-5', '6.6: 1-3', '6.8: 1-4', '7.1: 1-3'],
  ...[
    '7.3: 1-2',
    '7.4: 3-5',
    '7.5: 1-2',
    '7.6: 1-2',
    '8.1: 2',
    '8.2: 3',
    '8.4: 1',
    '9.2: 2-4',
    '10.1: 1-2',
    '10.2: 1-2',
  ],
  ...[
    '10.3: 1-4',
    '10.4: 6-11',
    '10.5: 1-5',
    '10.6: 1-2',
    '10.7: 1-3',
    '11.1: 1-2',
    '11.2: 1-3',
    '11.3: 3',
    '11.4: 2-4',
  ],
  ...['11.5: 1', '11.6: 1', '12.1: 2-3', '12.3: 1-4', '13.1: 1', '13.2: 1-5', '13.3: 1-2', '13.4: 2-5', '14.1: 1-2'],
  ...[
    '14.2: 2-4',
    '14.3: 2-3',
    '15.1: 2-3',
    '15.2: 2-3',
    '15.3: 2-7',
    '16.1: 1',
    '16.2: 1-5',
    '16.3: 1-4',
    '16.4: 1-3',
  ],
  ...['16.5: 1-3', '17.1: 1', '17.2: 1-4', '17.3: 1-2'],
];

/** Number → level. */
export const requirements: ReadonlyMap<string, number> = new Map([
  ...levelOne.flatMap(numbersOf).map((number) => [number, 1] as const),
  ...levelTwo.flatMap(numbersOf).map((number) => [number, 2] as const),
]);

function numbersOf(text: string): string[] {
  const [section = '', range = ''] = text.split(': ');
  const [first = 0, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => `${section}.${first + index}`);
}

export interface Row {
  number: string;
  level: number;
  requirement: string;
  answer: string;
  evidence: string;
}

/** The rows of all tables whose first cell is a number. */
export function readRows(document: string): Row[] {
  return [...document.matchAll(/^\| (\d+\.\d+\.\d+) \| (.*) \|$/gm)].map(([, number = '', rest = '']) => {
    const [level, requirement = '', answer = '', ...evidence] = rest.split(' | ');
    return { number, level: Number(level), requirement, answer, evidence: evidence.join(' | ') };
  });
}

/** The counts of the answers, as the document shows them between its marks. */
export function summaryOf(rows: readonly Row[]): string {
  const count = (level: number, answer: string) =>
    rows.filter((row) => row.level === level && row.answer === answer).length;
  const lines = [1, 2].map((level) => {
    const counts = answers.map((answer) => count(level, answer));
    return [level, ...counts, counts.reduce((total, one) => total + one, 0)];
  });
  const heads = ['Level', ...answers, 'all'];
  return [heads, heads.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export interface Citation {
  file: string;
  /** The title of a test or of a group of tests in the file. */
  title: string | undefined;
}

const cited =
  /`((?:[\w.-]+\/)*[\w.-]+\.(?:[cm]?js|json|ts|sql|md|ya?ml|cfg|sh)|Dockerfile|\.dockerignore)`(?:: “([^”]*)”)?/g;

/** The files of the repository that a text names in backticks, each with the title that may follow it. */
export function citationsOf(text: string): Citation[] {
  const named = [...text.matchAll(cited)];
  return named.map(([, file = '', title]) => ({ file, title }));
}

/** What is wrong with a citation; undefined if its file exists and has the title. */
export function complaintAbout({ file, title }: Citation, root: string): string | undefined {
  const text = readIfPresent(path.join(root, file));
  if (text === undefined) return `${file} does not exist`;
  if (title === undefined)
    return file.endsWith('.test.ts') ? `${file} is named without the title of a test` : undefined;
  return namesOf(text).includes(title) ? undefined : `${file} has no test “${title}”`;
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Also of a test or a group that runs only where it can, such as `describeInBrowser`. */
const callers = /^(?:(?:test|describe)\w*|it\b|in[A-Z])/;

/** The titles of the tests of a file and of their groups; none of those that are skipped. */
export function namesOf(text: string): string[] {
  const names: string[] = [];
  const sourceFile = parse('names.test.ts', text);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      const called = node.expression.getText(sourceFile);
      const isRun = callers.test(called) && !/\.(?:skip|todo|failing)\b/.test(called);
      if (isRun && title && ts.isStringLiteralLike(title)) names.push(title.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return names;
}
