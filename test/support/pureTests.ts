import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { allImports, type Import } from './imports';

/** A test that imports one of these, directly or not, needs a server, a process or a browser. */
const ioPackages = ['pg', 'sequelize', 'playwright-core', 'express', 'ws', 'nodemailer', 'stripe'];
/** The packages of Temporal that connect to no server. */
const pureTemporal = ['@temporalio/common', '@temporalio/workflow'];
const pureBuiltins = ['crypto', 'path', 'util', 'url', 'module', 'async_hooks', 'buffer', 'fs', 'fs/promises', 'os'];

/** What depends on the time zone. The packages of the tests read no time themselves. */
const readsTime = /\b(Date|Intl|toLocale\w*|fc\.date)\b/;

/** The test files that only compute, and compute with times, as repository paths. */
export function listPureTimeTests(root: string): string[] {
  const folders = ['src', 'workflows', 'activities', 'workers', 'scripts', 'test'];
  const files = new Map(folders.flatMap((folder) => readFiles(root, folder)));
  const imports = Map.groupBy(
    allImports(files).filter(({ typeOnly }) => !typeOnly),
    ({ from }) => from,
  );
  const known = new Map<string, boolean>();
  const isPure = (file: string): boolean => {
    const found = known.get(file);
    if (found !== undefined) return found;
    // A file that imports itself through others adds nothing of its own.
    known.set(file, true);
    const verdict = (imports.get(file) ?? []).every((one) => isPureImport(one, files, isPure));
    known.set(file, verdict);
    return verdict;
  };
  const usesTime = (file: string): boolean =>
    [...reachedFrom(file, imports, files)].some((one) => readsTime.test(files.get(one) ?? ''));
  const tests = [...files.keys()].filter((file) => file.endsWith('.test.ts'));
  return tests.filter((file) => isPure(file) && usesTime(file) && !startsPrograms(files.get(file) ?? '')).sort();
}

/** The file, and all files that it imports, directly or not. */
function reachedFrom(first: string, imports: Map<string, Import[]>, files: ReadonlyMap<string, string>): Set<string> {
  const reached = new Set([first]);
  for (const file of reached)
    for (const { to } of imports.get(file) ?? []) {
      const next = fileOf(to, files);
      if (next !== undefined) reached.add(next);
    }
  return reached;
}

const fileOf = (to: string, files: ReadonlyMap<string, string>) =>
  [`${to}.ts`, `${to}/index.ts`].find((name) => files.has(name));

function isPureImport({ to }: Import, files: ReadonlyMap<string, string>, isPure: (file: string) => boolean): boolean {
  const file = fileOf(to, files);
  if (file !== undefined) return isPure(file);
  if (isBuiltin(to)) return pureBuiltins.includes(to.replace(/^node:/, ''));
  return pureTemporal.includes(to) || (!to.startsWith('@temporalio/') && !ioPackages.includes(to));
}

/** The tests that read the whole repository do not depend on the time zone, and take long. */
const startsPrograms = (text: string) => /support\/(architecture|pureTests|compose|openapi)'/.test(text);

function readFiles(root: string, folder: string): [string, string][] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => [path.relative(root, file).split(path.sep).join('/'), readFileSync(file, 'utf8')]);
}
