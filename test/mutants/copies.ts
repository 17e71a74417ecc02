import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { type Mutant } from './mutants';

const execute = promisify(execFile);

/**
 * Makes a copy of the sources and of what is built of them. Bugs are planted in it one after the other. The packages are
 * shared.
 */
export async function withCopy(root: string, use: (copy: string) => Promise<void>): Promise<void> {
  const copy = mkdtempSync(path.join(tmpdir(), 'paywall-mutant-'));
  try {
    const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const { stdout } = await execute('git', listed, { cwd: root });
    for (const file of stdout.split('\0').filter(Boolean)) {
      mkdirSync(path.join(copy, path.dirname(file)), { recursive: true });
      cpSync(path.join(root, file), path.join(copy, file));
    }
    cpSync(path.join(root, 'dist'), path.join(copy, 'dist'), { recursive: true });
    symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
    await use(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** What git says against a patch that does not fit the sources. */
export function refusalOf(folder: string, { patchFile }: Pick<Mutant, 'patchFile'>): Promise<string | undefined> {
  return execute('git', ['apply', '--check', patchFile], { cwd: folder }).then(
    () => undefined,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

export const plant = (copy: string, { patchFile }: Mutant) => execute('git', ['apply', patchFile], { cwd: copy });

export const takeBack = (copy: string, { patchFile }: Mutant) =>
  execute('git', ['apply', '--reverse', patchFile], { cwd: copy });

export function filesOf({ patchFile }: Mutant): string[] {
  return [...readFileSync(patchFile, 'utf8').matchAll(/^\+\+\+ b\/(\S+)/gm)].map(([, file = '']) => file);
}

/** Builds the files of a patch, as `npm run build` would. Types are not checked. */
export async function build(copy: string, files: readonly string[]): Promise<void> {
  for (const file of files) {
    const target = path.join(copy, 'dist', file);
    if (file.endsWith('.sql') || file.endsWith('.css')) copyFileSync(path.join(copy, file), target);
    // The tests compile the scripts of pages themselves.
    if (!file.endsWith('.ts') || file.startsWith('src/pages/browser/')) continue;
    writeFileSync(target.replace(/\.ts$/, '.js'), compile(copy, file));
  }
  if (files.some((file) => /^(workflows|src\/billing)\//.test(file)))
    await execute(process.execPath, ['dist/scripts/bundleWorkflows.js'], { cwd: copy });
}

function compile(copy: string, file: string): string {
  const { config } = ts.readConfigFile(path.join(copy, 'tsconfig.json'), (name) => ts.sys.readFile(name)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, copy);
  const compilerOptions = { ...options, sourceMap: false };
  const fileName = path.join(copy, file);
  return ts.transpileModule(readFileSync(fileName, 'utf8'), { compilerOptions, fileName }).outputText;
}
