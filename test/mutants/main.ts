import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { addToReport, readCommit } from '../../scripts/program';
import { withCopy } from './copies';
import { readMutants, tryMutant, type Mutant, type Verdict } from './mutants';
import { withVerdicts } from './report';
import { findUncompilable } from './types';

/**
 * `npm run mutants`: plants each bug of `test/mutants/patches` in a copy of the sources and runs the test that must catch
 * it. `npm run mutants anchor-drifts` tries only this one, and `--report` writes the results to a page. Ends with 1 if a bug
 * is missed, or if a patch does not fit the sources any more.
 */
async function main(): Promise<void> {
  const root = path.join(__dirname, '../../..');
  const { values, positionals } = parseArgs({ options: { report: { type: 'string' } }, allowPositionals: true });
  const all = readMutants(root);
  const names = all.map(({ name }) => name);
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`There is no patch ${unknown.join(', ')} in test/mutants/patches.`);
  const wanted = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  // The copies share the packages of this folder. A copy that has to install packages would delete these.
  execFileSync(process.execPath, ['scripts/setup.mjs', 'install'], { cwd: root, stdio: 'inherit' });
  const commit = readCommit();
  let caught = 0;
  await withCopy(root, async (copy) => {
    const uncompilable = await findUncompilable(copy, wanted);
    for (const mutant of wanted) {
      const output = uncompilable.get(mutant.name);
      const verdict = output === undefined ? await tryMutant(copy, mutant) : ({ verdict: 'broken', output } as const);
      if (verdict.verdict === 'caught') caught += 1;
      console.log(describe(mutant, verdict));
      const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
      const tried = [{ name: mutant.name, verdict, date, commit }];
      if (values.report !== undefined) addToReport(values.report, (text) => withVerdicts(text, tried, names));
    }
  });
  console.log(`${caught} of ${wanted.length} planted bugs were caught.`);
  process.exitCode = caught === wanted.length ? 0 : 1;
}

function describe({ name, test }: Mutant, verdict: Verdict): string {
  const line = `${verdict.verdict.padEnd(7)} ${name}`;
  if (verdict.verdict === 'caught') return `${line}: ${verdict.by}`;
  return `${line} (${test})${verdict.verdict === 'broken' ? `\n${verdict.output}` : ''}`;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
