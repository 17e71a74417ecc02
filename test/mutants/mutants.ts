import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const execute = promisify(execFile);

/** A planted bug: a patch, and the test file that must fail with it. */
export interface Mutant {
  name: string;
  /** Why the patch is a bug, in one sentence. */
  fault: string;
  test: string;
  patchFile: string;
}

/** `missed`: all tests passed. `broken`: the patch does not apply or the tests could not run, so they prove nothing. */
export type Verdict = { verdict: 'caught'; by: string } | { verdict: 'missed' } | { verdict: 'broken'; output: string };

const patchFolder = 'test/mutants/patches';

/** The first line of a patch names the fault, the second the test. */
export function readMutants(root: string): Mutant[] {
  const files = readdirSync(path.join(root, patchFolder)).filter((file) => file.endsWith('.patch'));
  return files.sort().map((file) => {
    const patchFile = path.join(root, patchFolder, file);
    const [fault = '', caughtBy = ''] = readFileSync(patchFile, 'utf8').split('\n');
    return { name: file.replace('.patch', ''), fault, test: caughtBy.replace('Caught by: ', ''), patchFile };
  });
}

/** What git says against a patch that no longer fits the sources. */
export async function refusalOf(root: string, { patchFile }: Mutant): Promise<string | undefined> {
  const check = execute('git', ['apply', '--check', patchFile], { cwd: root });
  return check.then(
    () => undefined,
    ({ stderr }: { stderr: string }) => stderr,
  );
}

/**
 * A copy of the sources, in which bugs are planted one after the other: a build compiles only what the patch changes. The
 * packages are shared; the copy builds its own `dist`.
 */
export async function withCopy(root: string, use: (copy: string) => Promise<void>): Promise<void> {
  const copy = mkdtempSync(path.join(tmpdir(), 'paywall-mutant-'));
  try {
    await copySources(root, copy);
    await use(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Applies the patch to the copy, runs the test there, and takes the patch back. */
export async function tryMutant(copy: string, mutant: Mutant): Promise<Verdict> {
  const refusal = await refusalOf(copy, mutant);
  if (refusal !== undefined) return { verdict: 'broken', output: refusal };
  await execute('git', ['apply', mutant.patchFile], { cwd: copy });
  const verdict = await runTest(copy, mutant.test);
  await execute('git', ['apply', '--reverse', mutant.patchFile], { cwd: copy });
  return verdict;
}

const CompilerSettings = z.looseObject({ compilerOptions: z.looseObject({}) });

async function copySources(root: string, copy: string): Promise<void> {
  const { stdout } = await execute('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  });
  for (const file of stdout.split('\0').filter(Boolean)) {
    mkdirSync(path.join(copy, path.dirname(file)), { recursive: true });
    cpSync(path.join(root, file), path.join(copy, file));
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  const settingsFile = path.join(copy, 'tsconfig.json');
  const settings = CompilerSettings.parse(JSON.parse(readFileSync(settingsFile, 'utf8')));
  Object.assign(settings.compilerOptions, { incremental: true, tsBuildInfoFile: 'dist/.built-files' });
  writeFileSync(settingsFile, JSON.stringify(settings));
}

const Report = z.object({
  numFailedTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })) })),
});

async function runTest(copy: string, test: string): Promise<Verdict> {
  const reportFile = path.join(copy, 'report.json');
  rmSync(reportFile, { force: true });
  const args = [
    'scripts/setup.mjs',
    'test',
    '--runTestsByPath',
    test,
    '--testTimeout=60000',
    '--json',
    `--outputFile=${reportFile}`,
  ];
  const output = await execute(process.execPath, args, { cwd: copy, maxBuffer: 1e8 }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: { stdout?: string; stderr?: string }) => `${error.stdout ?? ''}${error.stderr ?? ''}`,
  );
  const report = readReport(reportFile);
  if (!report || report.numRuntimeErrorTestSuites > 0) return { verdict: 'broken', output };
  if (report.numFailedTests === 0) return { verdict: 'missed' };
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return { verdict: 'caught', by: results.find(({ status }) => status === 'failed')?.fullName ?? '' };
}

function readReport(file: string): z.output<typeof Report> | undefined {
  try {
    return Report.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
