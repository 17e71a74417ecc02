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
  const row = /^\| The payment provider hangs \|.*$/m.exec(readFileSync(report, 'utf8'))?.[0] ?? output;
  const [, , failedChecks, , failedPurchases, , slowestPurchase] = row.split('|').map((cell) => cell.trim());
  expect([failedChecks, failedPurchases]).toEqual(['0', '0']);
  expect(Number(slowestPurchase)).toBeGreaterThan(2);
});

test('a wrong option is named', async () => {
  expect(await measure('--seconds', '0')).toContain('--seconds must be a number of at least 1');
});
