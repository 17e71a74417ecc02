import path from 'node:path';
import ts from 'typescript';
import { type Files, lineOf, parse } from './imports';

/**
 * The order in which the transactions take their locks, read from the source text. A transaction with another order can
 * deadlock. The functions of an order take the lock that comes first, or one of those that follow it.
 */
interface Order {
  first: ReadonlySet<string>;
  following: ReadonlySet<string>;
}

/** The audit log of a merchant comes before its channel of events and the wakes of its webhooks. */
const auditBeforeEvents: Order = {
  first: new Set(['src/audit/audit#audit', 'src/audit/audit#auditAll']),
  following: new Set([
    'src/notifications/publish#publish',
    'src/webhooks/wakes#enqueueWake',
    'src/accounts/tokens/tokens#endSessions',
    'src/accounts/tokens/tokens#endNamedSession',
    'src/accounts/tokens/tokens#endSessionsOfPeople',
    'src/accounts/tokens/tokens#endSessionsOfClient',
  ]),
};

/** Subscriptions come before the cards that pay for them. */
const subscriptionsBeforeCards: Order = {
  first: new Set([
    'src/subscriptions/cards.model#lockOverdue',
    'src/subscriptions/changes/changes#lockLive',
    'src/subscriptions/changes/changes#lockLiveIn',
    'src/subscriptions/changes/requests.model#addRequest',
    'src/subscriptions/lifecycle/steps#lockSubscription',
    'src/subscriptions/lifecycle/steps#takeStep',
  ]),
  following: new Set([
    'src/subscriptions/cards.model#writeDefault',
    'src/subscriptions/cards.model#writeUpdatedCard',
    'src/subscriptions/methods/mandates.model#writeEnd',
    'src/subscriptions/setups/setups.model#writeOutcome',
  ]),
};

const orders = [auditBeforeEvents, subscriptionsBeforeCards];

interface Source {
  sourceFile: ts.SourceFile;
  /** The functions of the file, by name. */
  functions: ReadonlyMap<string, ts.Node>;
  /** The full names of what the file imports, by local name. */
  imports: ReadonlyMap<string, string>;
}

/** Each place of a transaction that takes a first lock after one that must follow it. */
export function reversedLocks(files: Files): string[] {
  const sources = new Map([...files].map(([name, text]) => [name.replace(/\.ts$/, ''), read(name, text)]));
  const reversed = new Set<string>();
  for (const [name, source] of sources)
    for (const unit of unitsOf(source.sourceFile))
      for (const order of orders) {
        const taken = locksOf(unit, { name, sources, order, callers: [] });
        const first = taken.findIndex(({ isFirst }) => isFirst);
        if (first > 0) reversed.add(`${name}.ts:${lineOf(source.sourceFile, taken[first]?.call ?? unit)}`);
      }
  return [...reversed].sort();
}

function read(name: string, text: string): Source {
  const sourceFile = parse(name, text);
  const functions = new Map<string, ts.Node>();
  const imports = new Map<string, string>();
  for (const statement of sourceFile.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name && statement.body)
      functions.set(statement.name.text, statement.body);
    if (ts.isVariableStatement(statement))
      for (const { name: known, initializer } of statement.declarationList.declarations)
        if (ts.isIdentifier(known) && initializer && ts.isArrowFunction(initializer))
          functions.set(known.text, initializer.body);
    if (ts.isImportDeclaration(statement)) addImports(name, statement, imports);
  }
  return { sourceFile, functions, imports };
}

function addImports(
  from: string,
  { moduleSpecifier, importClause }: ts.ImportDeclaration,
  imports: Map<string, string>,
) {
  if (!ts.isStringLiteral(moduleSpecifier) || !moduleSpecifier.text.startsWith('.')) return;
  const module = path.posix.join(path.posix.dirname(from), moduleSpecifier.text);
  const names = importClause?.namedBindings;
  if (names && ts.isNamedImports(names))
    for (const { name, propertyName } of names.elements)
      imports.set(name.text, `${module}#${(propertyName ?? name).text}`);
  if (names && ts.isNamespaceImport(names)) imports.set(names.name.text, module);
}

/** The functions of a file, and what it passes to `transaction`. */
function unitsOf(sourceFile: ts.SourceFile): ts.Node[] {
  const units: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.body) units.push(node.body);
    if (ts.isArrowFunction(node)) units.push(node.body);
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return units;
}

interface Place {
  name: string;
  sources: ReadonlyMap<string, Source>;
  order: Order;
  callers: readonly string[];
}

interface TakenLock {
  isFirst: boolean;
  call: ts.Node;
}

/** The locks that a piece of code takes, in the order of its calls. A transaction inside it is another unit. */
function locksOf(code: ts.Node, place: Place): TakenLock[] {
  const found: TakenLock[] = [];
  const visit = (node: ts.Node): void => {
    if (!ts.isCallExpression(node)) {
      ts.forEachChild(node, visit);
      return;
    }
    const target = targetOf(node.expression, place);
    if (target !== undefined && /#(transaction|withWake)$/.test(target)) return;
    // The values of a call are computed before the call.
    ts.forEachChild(node, visit);
    if (target === undefined) return;
    const { first, following } = place.order;
    if (first.has(target)) found.push({ isFirst: true, call: node });
    else if (following.has(target)) found.push({ isFirst: false, call: node });
    else found.push(...locksBehind(target, place).map(({ isFirst }) => ({ isFirst, call: node })));
  };
  visit(code);
  return found;
}

function locksBehind(target: string, { sources, order, callers }: Place): TakenLock[] {
  const [name = '', called = ''] = target.split('#');
  const body = sources.get(name)?.functions.get(called);
  if (body === undefined || callers.includes(target)) return [];
  return locksOf(body, { name, sources, order, callers: [...callers, target] });
}

/** The full name of a called function: the path of its file and its name. */
function targetOf(expression: ts.Expression, { name, sources }: Place): string | undefined {
  const source = sources.get(name);
  if (source === undefined) return undefined;
  if (ts.isPropertyAccessExpression(expression) && ts.isIdentifier(expression.expression)) {
    const module = source.imports.get(expression.expression.text);
    return module === undefined || module.includes('#') ? undefined : `${module}#${expression.name.text}`;
  }
  if (!ts.isIdentifier(expression)) return undefined;
  if (source.functions.has(expression.text)) return `${name}#${expression.text}`;
  return source.imports.get(expression.text);
}
