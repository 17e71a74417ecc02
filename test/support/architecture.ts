import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { allImports, type Files, type Import, lineOf, parse } from './imports';

export { type Files } from './imports';

/** The path of a file decides its kind. The first row that matches counts. */
const places = [
  [/^src\/(main|migrate|app|endpoints)$/, 'wiring'],
  [/^src\/config$/, 'config'],
  [/^src\/kit(\/|$)/, 'kit'],
  [/^src\/adapters\/postgres(\/|$)/, 'postgres'],
  [/^src\/adapters(\/|$)/, 'adapters'],
  [/^src\/billing(\/|$)/, 'billing'],
  [/^src\/pages\/customer\//, 'customerParts'],
  [/^src\/pages\/(?!layout|locales|charts)[^/]+\//, 'page'],
  [
    /^src\/pages\/(cardLink|docs|emailLinks|externalPayment|keepLink|mailedLinks|paymentConfirmation|paymentLink|paymentReturn|reportLink|sandboxAuthentication)(\.|$)/,
    'page',
  ],
  [/^src\/pages(\/|$)/, 'pageParts'],
  [/^src\/notifications\/events$/, 'events'],
  [/^src\/.+\.endpoints$/, 'endpoints'],
  [/^src\/.+\.schemas$/, 'schemas'],
  [/^src\/.+\.model$/, 'model'],
  [/^src\/.+\.presenter$/, 'presenter'],
  [/^src\/privacy\/[^.]+$/, 'privacy'],
  [/^src\/((platform|registrations)$|[^/]+\/)/, 'rules'],
  [/^workflows\/messages(\/|$)/, 'messages'],
  [/^workflows(\/|$)/, 'workflows'],
  [/^activities(\/|$)/, 'activities'],
  [/^workers(\/|$)/, 'workers'],
  [/^scripts(\/|$)/, 'scripts'],
  [/^bench(\/|$)/, 'bench'],
  [/^package\.json$/, 'manifest'],
] as const;

type Layer = (typeof places)[number][1];
type Target = Layer | 'package' | 'workflowSdk' | 'node' | 'unknown';

interface Allowance {
  layers: readonly Target[];
  /** Only within the same module, its sub-modules included, or the same page. */
  own?: true;
  typesOnly?: true;
}

const any = (...layers: Target[]): Allowance => ({ layers });
const own = (...layers: Target[]): Allowance => ({ layers, own: true });
const typesOf = (allowance: Allowance): Allowance => ({ ...allowance, typesOnly: true });

const outside = any('package', 'workflowSdk', 'node', 'manifest');
const source = places.map(([, layer]) => layer);
const belowScripts = source.filter((layer) => layer !== 'scripts' && layer !== 'bench');

/** Who may import whom. Imports point down: endpoints → rules → model. Any import that is not listed is refused. */
const mayImport: Record<Layer, readonly Allowance[]> = {
  wiring: [
    any(...source.filter((layer) => !['workflows', 'activities', 'workers', 'scripts', 'bench'].includes(layer))),
    outside,
  ],
  config: [any('kit'), outside],
  kit: [any('kit'), outside],
  postgres: [any('postgres', 'adapters', 'kit', 'config', 'messages'), outside],
  adapters: [any('postgres', 'adapters', 'kit', 'config', 'messages'), outside],
  billing: [own('billing'), typesOf(any('messages'))],
  page: [any('endpoints', 'rules', 'privacy', 'kit', 'pageParts', 'customerParts'), own('page'), outside],
  customerParts: [any('endpoints', 'rules', 'kit', 'pageParts', 'customerParts'), outside],
  pageParts: [any('rules', 'kit', 'pageParts'), outside],
  endpoints: [own('rules', 'privacy'), any('schemas', 'kit'), outside],
  schemas: [any('kit', 'schemas', 'events'), outside],
  events: [any('kit', 'schemas', 'events'), outside],
  rules: [
    own('model', 'presenter', 'schemas'),
    any('rules', 'privacy', 'events', 'billing', 'postgres', 'adapters', 'kit', 'messages'),
    outside,
  ],
  privacy: [
    own('presenter', 'schemas'),
    any('privacy', 'rules', 'model', 'events', 'postgres', 'adapters', 'kit', 'messages'),
    outside,
  ],
  presenter: [any('kit'), typesOf(any('model', 'schemas', 'events', 'package'))],
  model: [any('postgres', 'model'), outside],
  messages: [own('messages')],
  workflows: [any('workflows', 'messages', 'billing', 'workflowSdk'), typesOf(any('activities'))],
  activities: [any('activities', 'rules', 'privacy', 'kit', 'messages'), outside],
  workers: [any('workers', 'activities', 'postgres', 'adapters', 'config', 'messages'), outside],
  scripts: [any('scripts', ...belowScripts), outside],
  bench: [any('bench', 'scripts', ...belowScripts), outside],
  manifest: [],
};

/** The rooms from the top floor down. A room imports only rooms that stand below it. */
const rooms = [
  'bench',
  'scripts',
  'src/main',
  'src/migrate',
  'src/app',
  'src/endpoints',
  'src/pages',
  'workers',
  'activities',
  'src/registrations',
  'src/privacy',
  'src/operator',
  'src/moving',
  'src/demoData',
  'src/testClock',
  'src/analytics',
  'src/savedFilters',
  'src/reports',
  'src/webhooks',
  'src/customers',
  'src/externalPayments',
  'src/subscriptions',
  'src/vouchers',
  'src/invoices',
  'src/tax',
  'src/restrictionSettings',
  'src/entitlements',
  'src/externalAccounts',
  'src/items',
  'src/stores',
  'src/accounts',
  'src/mail',
  'src/branding',
  'src/images',
  'src/notifications',
  'src/features',
  'src/restrictions',
  'src/audit',
  'src/oauthApps',
  'src/health',
  'src/ledger',
  'src/platform',
  'src/adapters',
  'workflows',
  'src/billing',
  'workflows/messages',
  'src/config',
  'src/kit',
];
const kinds = ['endpoints', 'schemas', 'model', 'presenter'];
const rootFiles = ['main', 'migrate', 'app', 'config', 'endpoints', 'platform', 'registrations'];
/** Programs that are started by their path. */
const smallFolders = ['workers', 'src/pages/browser'];
const smallestFolder = 3;

export function readTree(root: string): Files {
  const folders = ['src', 'workflows', 'activities', 'workers', 'scripts', 'bench'];
  const names = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const sources = names.map((name) => name.replaceAll(path.sep, '/')).filter((name) => name.endsWith('.ts'));
  return new Map(sources.map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
}

export function forbiddenImports(files: Files): string[] {
  return allImports(files)
    .filter((found) => !isAllowed(found))
    .map(({ from, line, to, typeOnly }) => `${from}:${line} may not import ${typeOnly ? 'types of ' : ''}${to}`);
}

/** Imports of a room that stands above the importing one, and files in no room. */
export function upwardImports(files: Files): string[] {
  return allImports(files)
    .filter(({ to }) => isOurs(to))
    .filter(({ from, to }) => floorOf(from) < 0 || floorOf(to) < floorOf(from))
    .map(({ from, line, to }) => `${from}:${line} imports ${to} from an upper room`);
}

function isOurs(target: string): boolean {
  return /^(src|workflows|activities|workers|scripts|bench)\//.test(target);
}

/** The position of a file's room in the list. The longest matching name counts. */
function floorOf(file: string): number {
  const name = file.replace(/\.ts$/, '');
  const matching = rooms.filter((room) => name === room || name.startsWith(`${room}/`));
  const [longest] = matching.toSorted((one, other) => other.length - one.length);
  return longest === undefined ? -1 : rooms.indexOf(longest);
}

/** Files without a name of their own, with an unknown kind, or directly in `src`. */
export function misnamedFiles(files: Files): string[] {
  return [...files.keys()].filter((name) => {
    const [base = '', ...suffixes] = path.posix.basename(name, '.ts').split('.');
    if (path.posix.dirname(name) === 'src') return !rootFiles.includes(base) || suffixes.length > 0;
    const isNamed = !['service', 'utils', 'helpers', ...kinds].includes(base);
    return !isNamed || suffixes.length > 1 || suffixes.some((suffix) => !kinds.includes(suffix));
  });
}

/** Folders with fewer than three files. A folder that holds only folders is no such folder. */
export function smallFoldersOf(files: Files): string[] {
  const counts = new Map<string, number>();
  for (const name of files.keys())
    counts.set(path.posix.dirname(name), (counts.get(path.posix.dirname(name)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count < smallestFolder && !smallFolders.includes(folder))
    .map(([folder]) => folder);
}

/** Folders below `test` with a single file: the file belongs one folder up. */
export function loneTestsOf(root: string): string[] {
  const tests = readdirSync(path.join(root, 'test'), { recursive: true, withFileTypes: true });
  const counts = new Map<string, number>();
  for (const { parentPath } of tests) counts.set(parentPath, (counts.get(parentPath) ?? 0) + 1);
  const lone = tests.filter(
    (entry) => entry.isFile() && entry.name.endsWith('.test.ts') && counts.get(entry.parentPath) === 1,
  );
  return lone.map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

/** Cycles of type imports count too, because their files can only be read together. */
export function importCycles(files: Files): string[] {
  const edges = new Map<string, string[]>();
  for (const { from, to } of allImports(files)) {
    const target = [to, `${to}.ts`, `${to}/index.ts`].find((name) => files.has(name));
    if (target !== undefined) edges.set(from, [...(edges.get(from) ?? []), target]);
  }
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: string[]): void => {
    if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
    if (done.has(file) || trail.includes(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of files.keys()) visit(file, []);
  return cycles;
}

/** Work that begins at an import. Only `src/main.ts` may do that. Constants and declarations are not work. */
export function startsOnImport(files: Files): string[] {
  return [...files].flatMap(([name, text]) => {
    if (!name.startsWith('src/') || name === 'src/main.ts') return [];
    const sourceFile = parse(name, text);
    const lines: string[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) || ts.isClassLike(node)) return;
      const callee = ts.isCallExpression(node) ? node.expression.getText(sourceFile) : '';
      const starts = /(^|\.)(listen|setInterval|setTimeout|setImmediate)$|^process\.(on|once)$/.test(callee);
      if (starts || ts.isAwaitExpression(node)) lines.push(`${name}:${lineOf(sourceFile, node)} starts work on import`);
      ts.forEachChild(node, visit);
    };
    visit(sourceFile);
    return lines;
  });
}

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const layer = layerOf(from.replace(/\.ts$/, ''));
  const target = targetOf(to);
  if (layer === undefined) return false;
  return mayImport[layer].some(
    (allowance) =>
      allowance.layers.includes(target) &&
      (allowance.own !== true || ownerOf(from) === ownerOf(to)) &&
      (allowance.typesOnly !== true || typeOnly),
  );
}

function layerOf(place: string): Layer | undefined {
  return places.find(([pattern]) => pattern.test(place))?.[1];
}

function targetOf(to: string): Target {
  if (isBuiltin(to)) return 'node';
  // Search attribute keys are defined in the second; neither needs a Node module.
  if (to === '@temporalio/workflow' || to === '@temporalio/common') return 'workflowSdk';
  const inRepository = /^(src|workflows|activities|workers|scripts|bench|test|\.\.)(\/|$)|^package\.json$/.test(to);
  return inRepository ? (layerOf(to) ?? 'unknown') : 'package';
}

function ownerOf(place: string): string {
  return /^src\/(pages\/[^/.]+|[^/]+(?=\/))/.exec(place)?.[0] ?? path.posix.dirname(place);
}
