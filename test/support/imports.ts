import path from 'node:path';
import ts from 'typescript';

/** Repository path with `/` → text. Tests hand in files that exist nowhere else. */
export type Files = ReadonlyMap<string, string>;

export interface Import {
  from: string;
  line: number;
  /** A repository path without extension, or the name of a package. */
  to: string;
  typeOnly: boolean;
}

export function allImports(files: Files): Import[] {
  return [...files].flatMap(([name, text]) => importsOf(name, text));
}

function importsOf(from: string, text: string): Import[] {
  const sourceFile = parse(from, text);
  const imports: Import[] = [];
  const add = (node: ts.Node, specifier: ts.Node | undefined, typeOnly: boolean): void => {
    if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return;
    const isRelative = specifier.text.startsWith('.');
    const to = isRelative ? path.posix.join(path.posix.dirname(from), specifier.text) : specifier.text;
    imports.push({ from, line: lineOf(sourceFile, node), to: to.replace(/\.[jt]s$/, '').replace(/\/$/, ''), typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node, node.moduleSpecifier, isTypeImport(node));
    if (ts.isExportDeclaration(node)) add(node, node.moduleSpecifier, isTypeExport(node));
    if (ts.isExternalModuleReference(node)) add(node, node.expression, false);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node, node.argument.literal, true);
    if (ts.isCallExpression(node) && /^(import|require)$/.test(node.expression.getText(sourceFile))) {
      add(node, node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return imports;
}

function isTypeImport({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  if (importClause.isTypeOnly) return true;
  const names = importClause.namedBindings;
  if (importClause.name !== undefined || names === undefined || !ts.isNamedImports(names)) return false;
  return names.elements.length > 0 && names.elements.every((element) => element.isTypeOnly);
}

function isTypeExport({ isTypeOnly, exportClause }: ts.ExportDeclaration): boolean {
  if (isTypeOnly) return true;
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return false;
  return exportClause.elements.length > 0 && exportClause.elements.every((element) => element.isTypeOnly);
}

export function parse(name: string, text: string): ts.SourceFile {
  return ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, false, ts.ScriptKind.TS);
}

export function lineOf(sourceFile: ts.SourceFile, node: ts.Node): number {
  return sourceFile.getLineAndCharacterOfPosition(node.getStart(sourceFile)).line + 1;
}
