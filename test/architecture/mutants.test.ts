import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { refusalOf } from '../mutants/copies';
import { readMutants, tryMutant } from '../mutants/mutants';

const root = path.join(__dirname, '../..');
const mutants = readMutants(root);

test('there are at least 110 planted bugs', () => expect(mutants.length).toBeGreaterThanOrEqual(110));

test.each(mutants)('the planted bug $name fits the sources and names its fault and its test', async (mutant) => {
  expect(await refusalOf(root, mutant)).toBeUndefined();
  expect(mutant.fault).toMatch(/^[A-Z].+\.$/);
  expect(existsSync(path.join(root, mutant.test))).toBe(true);
});

test('a patch that does not fit the sources counts as broken, not as caught', async () => {
  const patchFile = path.join(tmpdir(), `outdated-${process.pid}.patch`);
  writeFileSync(patchFile, '--- a/package.json\n+++ b/package.json\n@@ -1,1 +1,1 @@\n-No such line\n+Another\n');
  const verdict = await tryMutant(root, { name: 'outdated', fault: '', test: '', patchFile });
  expect(verdict).toEqual({ verdict: 'broken', output: expect.stringContaining('patch failed') as string });
});
