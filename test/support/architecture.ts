import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import ts from 'typescript';
import { allImports, type Files, type Import, lineOf, parse } from './imports';

export { type Files } from './imports';

/** Where a file lives decides what it is; the first row that matches wins. */
const places = [
  [/^src\/(main|app|endpoints)$/, 'wiring'],
  [/^src\/config$/, 'config'],
  [/^src\/kit(\/|$)/, 'kit'],
  [/^src\/adapters\/postgres(\/|$)/, 'postgres'],
  [/^src\/adapters(\/|$)/, 'adapters'],
  [/^src\/subscriptions\/billing(\/|$)/, 'billing'],
  [/^src\/pages\/customer\//, 'customerParts'],
  [/^src\/pages\/(?!charts|layout)[^/]+\//, 'page'],
  [/^src\/pages(\/|$)/, 'pageParts'],
  [/^src\/notifications\/publish$/, 'service'],
  [/^src\/notifications\/events$/, 'events'],
  [/^src\/.+\/endpoints$/, 'endpoints'],
  [/^src\/.+\/schemas$/, 'schemas'],
  [/^src\/.+\/service$/, 'service'],
  [/^src\/.+\/model$/, 'model'],
  [/^src\/.+\/presenter$/, 'presenter'],
  [/^src\/notifications(\/|$)/, 'notifications'],
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

/** Who may import whom. Arrows point down: endpoints → service → model; what is not listed is refused. */
const mayImport: Record<Layer, readonly Allowance[]> = {
  wiring: [
    any(...source.filter((layer) => !['workflows', 'activities', 'workers', 'scripts', 'bench'].includes(layer))),
    outside,
  ],
  config: [any('kit'), outside],
  kit: [any('kit'), outside],
  postgres: [any('postgres', 'adapters', 'kit', 'config', 'messages'), outside],
  adapters: [any('postgres', 'adapters', 'kit', 'config', 'messages'), outside],
  billing: [own('billing')],
  page: [any('endpoints', 'service', 'kit', 'pageParts', 'customerParts'), own('page'), outside],
  customerParts: [any('endpoints', 'service', 'kit', 'pageParts', 'customerParts'), outside],
  pageParts: [any('service', 'kit', 'pageParts'), outside],
  endpoints: [own('service', 'schemas'), any('kit'), outside],
  schemas: [any('kit', 'schemas', 'events'), outside],
  events: [any('kit', 'schemas', 'events'), outside],
  service: [
    own('model', 'presenter', 'schemas', 'notifications'),
    any('service', 'events', 'billing', 'postgres', 'adapters', 'kit', 'messages'),
    outside,
  ],
  notifications: [own('notifications', 'model'), any('events', 'postgres', 'adapters', 'kit', 'messages'), outside],
  presenter: [any('kit'), typesOf(own('model', 'schemas')), typesOf(any('events', 'package'))],
  model: [any('postgres', 'model'), outside],
  messages: [own('messages')],
  workflows: [any('workflows', 'messages', 'billing', 'workflowSdk'), typesOf(any('activities'))],
  activities: [any('activities', 'service', 'kit', 'messages'), outside],
  workers: [any('workers', 'activities', 'postgres', 'adapters', 'config', 'messages'), outside],
  scripts: [any('scripts', ...belowScripts), outside],
  bench: [any('bench', 'scripts', ...belowScripts), outside],
  manifest: [],
};

/** Folders whose files have names of their own; everywhere else under `src` a module has its five files. */
export const freelyNamed = [
  { folder: 'src/kit', reason: 'one file a concern, and no business' },
  { folder: 'src/adapters', reason: 'one file or folder per outside thing, named after it' },
  { folder: 'src/pages', reason: 'templates, named after what they show' },
  {
    folder: 'src/notifications',
    reason: 'one stream for all modules: its schemas are events.ts, its front door publish.ts',
  },
  { folder: 'src/subscriptions/billing', reason: 'pure rules that workflows import too, one file a rule' },
];
const rootFiles = ['main', 'app', 'config', 'endpoints'];
const moduleFiles = ['endpoints', 'schemas', 'service', 'model', 'presenter'];

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

export function misnamedFiles(files: Files): string[] {
  return [...files.keys()].filter((name) => {
    if (!name.startsWith('src/') || freelyNamed.some(({ folder }) => name.startsWith(`${folder}/`))) return false;
    const allowed = path.posix.dirname(name) === 'src' ? rootFiles : moduleFiles;
    return !allowed.includes(path.posix.basename(name, '.ts'));
  });
}

/** Of types too: what can only be read together is one thing. */
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

/** Work that begins because a file is imported: only `src/main.ts` may. Constants and declarations are no work. */
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
  return /^src\/(pages\/[^/]+|subscriptions\/billing|[^/]+)(?=\/)/.exec(place)?.[0] ?? path.posix.dirname(place);
}
