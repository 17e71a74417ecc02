import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '../..');
const folder = path.join(process.env['TEST_DATA_DIR'] ?? '', 'count-reporter');

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  unlisted: string[];
}

/** Runs jest with the reporter on one file with this text, and returns what the reporter writes. */
async function countsOf(text: string, ...options: string[]): Promise<Counts> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'one.test.js'), text);
  const countsFile = path.join(folder, 'counts.json');
  const config = JSON.stringify({ rootDir: folder, reporters: [path.join(root, 'scripts/countReporter.mjs')] });
  const args = [path.join(root, 'node_modules/jest/bin/jest.js'), '--config', config, ...options];
  const env = { ...process.env, TEST_COUNTS_FILE: countsFile };
  await new Promise<void>((resolve) => execFile(process.execPath, args, { cwd: folder, env }, () => resolve()));
  return JSON.parse(readFileSync(countsFile, 'utf8')) as Counts;
}

const passing = `test('passes', () => undefined);`;

test('a skipped test without a listed reason is named, and one with a listed reason is only counted', async () => {
  const text = `${passing}
    test.skip('forgotten', () => undefined);
    test.todo('planned');
    describe.skip('pages (skipped: no Chromium is found)', () => { test('listed', () => undefined); });`;
  expect(await countsOf(text)).toEqual({ passed: 1, failed: 0, skipped: 3, unlisted: ['forgotten', 'planned'] });
});

test('tests that a title filter leaves out are not skipped', async () => {
  expect(await countsOf(`${passing} test('other', () => undefined);`, '-t', 'passes')).toMatchObject({ unlisted: [] });
});

test('a file that cannot be loaded counts as a failure', async () => {
  expect(await countsOf('this is no program')).toMatchObject({ passed: 0, failed: 1, unlisted: [] });
});
