import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readHistory } from './history';
import { planRun } from './schedule';

const root = path.join(__dirname, '../..');
const folder = process.env['TEST_DATA_DIR'] ?? '';

/** The program that `npm run simulate` starts after the build, without the servers and the settings of this test. */
function simulate(...args: string[]): Promise<{ code: number; output: string }> {
  const program = path.join(root, 'dist/test/simulation/main.js');
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: root, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}

const sized = ['--seed', '21', '--minutes', '0.4', '--operations', '60', '--faults', '5'];

test('a short run with kills keeps all promises, and the checker finds the faults that are planted afterwards', async () => {
  const history = path.join(folder, 'history.jsonl');
  const report = path.join(folder, 'results.md');
  const { code, output } = await simulate(...sized, '--history', history, '--report', report, '--self-check');

  expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^0 violations$/m) as string });
  expect(output).toMatch(/^Self-check: no rule missed a planted fault$/m);
  const entries = readHistory(history);
  const kills = entries.filter((entry) => entry.kind === 'fault' && entry.what.startsWith('kill'));
  expect(kills.length).toBeGreaterThanOrEqual(3);
  expect(readFileSync(report, 'utf8')).toMatch(/\| 21 (\| \d+ ){7}\| 0 \| --seed 21 [^|]+\|\n$/);
});

test('--plan-only prints the plan of the seed, also one that is larger than a pipe', async () => {
  const { output } = await simulate('--seed', '21', '--minutes', '5', '--plan-only');
  expect(output.length).toBeGreaterThan(2 ** 16);
  expect(JSON.parse(output)).toEqual(planRun({ seed: 21, minutes: 5 }));
});

test('a run either plants faults at its end or restores an older database', async () => {
  const { code, output } = await simulate('--self-check', '--restore');
  expect([code, output.includes('--self-check and --restore need a run each.')]).toEqual([1, true]);
});

test('a wrong option ends with 1 and says which', async () => {
  const { code, output } = await simulate('--minutes', 'five');
  expect(code).toBe(1);
  expect(output).toContain('--minutes must be a number');
});
