import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '../..');
const report = path.join(process.env['TEST_DATA_DIR'] ?? '', 'degraded-modes.md');

/** The program that `npm run degraded` starts after the build, without the servers and the settings of this test. */
function measure(...args: string[]): Promise<string> {
  const program = path.join(root, 'dist/test/degraded/main.js');
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: root, env }, (_, stdout, stderr) => resolve(stdout + stderr));
  });
}

test('npm run degraded measures a mode: while the provider hangs, access stays and purchases arrive later', async () => {
  const output = await measure('--only', 'provider hangs', '--seconds', '3', '--report', report);
  expect(output).toContain('The payment provider hangs');
  const row = /^\| The payment provider hangs \| (.+) \| [\d.]+ \| (.+) \| [\d.]+ \| ([\d.]+) \|/m.exec(
    readFileSync(report, 'utf8'),
  );
  expect(row?.slice(1, 3)).toEqual(['0', '0']);
  expect(Number(row?.[3])).toBeGreaterThan(2);
});

test('a wrong option ends with 1 and says which', async () => {
  expect(await measure('--seconds', '0')).toContain('--seconds must be a number of at least 1');
});
