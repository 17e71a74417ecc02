import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '../..');
const report = path.join(process.env['TEST_DATA_DIR'] ?? '', 'degraded-modes.md');

/** The program that `npm run degraded` starts after the build, without the servers and the settings of this test. */
function measure(...args: string[]): Promise<{ code: number; output: string }> {
  const program = path.join(root, 'dist/test/degraded/main.js');
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}

test('npm run degraded measures a mode: while the provider hangs, access stays and purchases arrive later', async () => {
  const { code, output } = await measure('--only', 'provider hangs', '--seconds', '3', '--report', report);
  expect({ code, output }).toMatchObject({ code: 0 });
  const row = /^\| The payment provider hangs \|.*$/m.exec(readFileSync(report, 'utf8'))?.[0] ?? '';
  const [, , failedChecks, , failedPurchases, , slowestPurchase] = row.split('|').map((cell) => cell.trim());
  expect([failedChecks, failedPurchases]).toEqual(['0', '0']);
  expect(Number(slowestPurchase)).toBeGreaterThan(2);
});

test('a wrong option ends with 1 and is named', async () => {
  const { code, output } = await measure('--seconds', '0');
  expect(code).toBe(1);
  expect(output).toContain('--seconds must be a number of at least 1');
});
