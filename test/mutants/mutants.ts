import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { build, filesOf, plant, refusalOf, takeBack } from './copies';

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

/** Plants the bug in the copy, runs the test there, and takes the bug back. */
export async function tryMutant(copy: string, mutant: Mutant): Promise<Verdict> {
  const refusal = await refusalOf(copy, mutant);
  if (refusal !== undefined) return { verdict: 'broken', output: refusal };
  const files = filesOf(mutant);
  await plant(copy, mutant);
  await build(copy, files);
  const verdict = await runTest(copy, mutant.test);
  await takeBack(copy, mutant);
  await build(copy, files);
  return verdict;
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
    'node_modules/jest/bin/jest.js',
    ...['--runTestsByPath', test, '--testTimeout=60000', '--json', `--outputFile=${reportFile}`],
    '--testEnvironment=<rootDir>/test/mutants/firstFailure.mjs',
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
