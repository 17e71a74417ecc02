import { existsSync } from 'node:fs';
import path from 'node:path';
import { checkPatch, readMutants } from '../mutants/mutants';

const root = path.join(__dirname, '../..');
const mutants = readMutants(root);

test('there are at least 24 planted bugs', () => expect(mutants.length).toBeGreaterThanOrEqual(24));

test.each(mutants)('the planted bug $name fits the sources and names its fault and its test', async (mutant) => {
  await checkPatch(root, mutant);
  expect(mutant.fault).toMatch(/^[A-Z].+\.$/);
  expect(existsSync(path.join(root, mutant.test))).toBe(true);
});
