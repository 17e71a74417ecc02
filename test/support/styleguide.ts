import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { parse } from './imports';

/** What the style guide of the pages has to show: shared functions, and classes of the shared style sheets. */

const folder = path.join(__dirname, '..', '..', 'src', 'pages');
const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
const filesOf = (name: string) => readdirSync(path.join(folder, name)).filter((file) => file.endsWith('.ts'));

/** The files whose exported functions are parts of many pages. */
const sharedFiles = [
  ...filesOf('layout').map((file) => `layout/${file}`),
  ...['charts', 'sparkline', 'waterfall'].map((name) => `charts/${name}.ts`),
  ...['customer/fees.ts', 'customer/preview.ts'],
  ...['fields', 'frame', 'lists', 'scopeBoxes', 'searchBox'].map((name) => `console/${name}.ts`),
];

/** The style sheets of shared parts. The others belong to one area. */
const sharedSheets = ['base', 'arranging', 'forms', 'notices', 'lists', 'charts'].map((name) => `styles/${name}.css`);

/** The names of the exported functions of a file that return HTML. */
export function partsOf(text: string): string[] {
  const file = parse('part.ts', text);
  return file.statements.flatMap((statement) => {
    const isExported = ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(isExport);
    if (!isExported) return [];
    if (ts.isFunctionDeclaration(statement)) return isHtml(statement, file) ? [statement.name?.text ?? ''] : [];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) =>
      initializer && ts.isArrowFunction(initializer) && isHtml(initializer, file) ? [name.getText(file)] : [],
    );
  });
}

const isExport = ({ kind }: ts.ModifierLike) => kind === ts.SyntaxKind.ExportKeyword;
const isHtml = ({ type }: ts.SignatureDeclaration, file: ts.SourceFile) => type?.getText(file) === 'Html';

/** The names of all functions that a text calls. */
export function callsOf(text: string): string[] {
  const calls: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) calls.push(node.expression.text);
    ts.forEachChild(node, visit);
  };
  visit(parse('calls.ts', text));
  return calls;
}

export const sharedParts = () => [...new Set(sharedFiles.flatMap((name) => partsOf(read(name))))];
export const callsOfStyleguide = () =>
  new Set(filesOf('console/styleguide').flatMap((file) => callsOf(read(`console/styleguide/${file}`))));

/** The classes of a style sheet, as they stand together on one element: `button main` for `.button.main:hover`. */
export function classesOf(sheet: string): string[] {
  const selectors = [...sheet.replaceAll(/\/\*[^]*?\*\//g, '').matchAll(/([^{};]+)\{/g)].map(([, text = '']) => text);
  const elements = selectors
    .filter((text) => !text.trim().startsWith('@'))
    .flatMap((text) => text.split(/[\s,>+~()]+/));
  const names = elements.map((element) => [...element.matchAll(/\.([a-z][\w-]*)/g)].map(([, name = '']) => name));
  return [...new Set(names.filter((each) => each.length > 0).map((each) => each.join(' ')))];
}

export const sharedClasses = () => [...new Set(sharedSheets.flatMap((name) => classesOf(read(name))))];

/** The classes of each element of a page. */
export const classesOn = (page: string) =>
  [...page.matchAll(/\sclass="([^"]*)"/g)].map(([, names = '']) => names.split(/\s+/));
