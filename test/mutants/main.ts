import path from 'node:path';
import { readMutants, tryMutant } from './mutants';

/**
 * `npm run mutants`: plants each bug of `test/mutants/patches` in a copy of the sources and runs the test that must catch
 * it. `npm run mutants anchor-drifts` tries only this one. Ends with 1 if a bug is missed.
 */
async function main(): Promise<void> {
  const root = path.join(__dirname, '../../..');
  const all = readMutants(root);
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => all.every((mutant) => mutant.name !== name));
  if (unknown.length > 0) throw new Error(`There is no patch ${unknown.join(', ')} in test/mutants/patches.`);
  const wanted = all.filter(({ name }) => names.length === 0 || names.includes(name));
  let caught = 0;
  for (const mutant of wanted) {
    const found = await tryMutant(root, mutant);
    if (found.verdict === 'caught') caught += 1;
    if (found.verdict === 'broken') console.error(found.output);
    console.log(
      `${found.verdict.padEnd(7)} ${mutant.name}${found.verdict === 'caught' ? `: ${found.by}` : ` (${mutant.test})`}`,
    );
  }
  console.log(`${caught} of ${wanted.length} planted bugs were caught.`);
  process.exitCode = caught === wanted.length ? 0 : 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
