import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { listPureTimeTests } from '../support/pureTests';

const root = path.join(__dirname, '../..');
const pureTests = listPureTimeTests(root);

/** One zone with summer time west of UTC, and one with an offset of 5 h 45 min. */
const zones = ['America/New_York', 'Asia/Kathmandu'];

test('the list of pure tests contains the tests of periods and of money, and none with a server', () => {
  expect(pureTests).toEqual(
    expect.arrayContaining(['test/subscriptions/billing/periods.test.ts', 'test/subscriptions/billing/money.test.ts']),
  );
  expect(pureTests).not.toContain('test/subscriptions/createSubscription.test.ts');
  expect(pureTests).not.toContain('test/workflows/renewals.test.ts');
});

test.each(zones)('the pure tests pass in the time zone %s', async (zone) => {
  const { code, output } = await runJest(zone);
  expect(code === 0 ? '' : output).toBe('');
  expect(output).toMatch(new RegExp(`Test Suites: ${pureTests.length} passed, ${pureTests.length} total`));
});

/** Jest without its servers, because pure tests need none. In these runs the lifetimes are fewer (test/lifetimes). */
function runJest(zone: string): Promise<{ code: number; output: string }> {
  const jestConfig = createRequire(__filename)('../../jest.config.js') as Record<string, unknown>;
  const config = JSON.stringify({ ...jestConfig, globalSetup: null, globalTeardown: null, rootDir: root });
  const jest = path.join(root, 'node_modules/jest/bin/jest.js');
  const args = [jest, '--config', config, '--runInBand', '--runTestsByPath', ...pureTests];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: root, env: { ...process.env, TZ: zone, TEST_OTHER_ZONE: '1' } },
      (error, stdout, stderr) => resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}
