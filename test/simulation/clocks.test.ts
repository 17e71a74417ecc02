import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { prepareClocks, type Clocks } from './clocks';

const execute = promisify(execFile);
const folder = process.env['TEST_DATA_DIR'] ?? '';
const minuteMs = 60_000;

/** How far the clock of a new process is ahead. */
async function aheadMs(clocks: Clocks, name: string): Promise<number> {
  const env = { CLOCK_OFFSET: '', ...(await clocksEnv(clocks, name)) };
  const { stdout } = await execute(process.execPath, ['-p', 'Date.now()'], { env });
  return Number(stdout) - Date.now();
}

/** The settings, without the file being made anew. */
const envs = new Map<string, Record<string, string>>();
async function clocksEnv(clocks: Clocks, name: string) {
  const env = envs.get(name) ?? (await clocks.envOf(name));
  envs.set(name, env);
  return env;
}

test('a process has a clock of its own, ahead or behind, until it is set right', async () => {
  const clocks = await prepareClocks(folder);
  if (!clocks) throw new Error('this test needs Linux and cc');
  await Promise.all([clocksEnv(clocks, 'one part'), clocksEnv(clocks, 'another')]);
  for (const seconds of [3600, -3600]) {
    await clocks.set('one part', seconds);
    expect(Math.abs((await aheadMs(clocks, 'one part')) - seconds * 1000)).toBeLessThan(10 * minuteMs);
    expect(Math.abs(await aheadMs(clocks, 'another'))).toBeLessThan(10 * minuteMs);
  }
  await clocks.set('one part', 0);
  expect(Math.abs(await aheadMs(clocks, 'one part'))).toBeLessThan(10 * minuteMs);
});

test('a running process sees the change', async () => {
  const clocks = await prepareClocks(folder);
  if (!clocks) throw new Error('this test needs Linux and cc');
  const env = await clocks.envOf('running');
  const script = `const first = Date.now();
    process.stdout.write('ready');
    process.stdin.once('data', () => { process.stdout.write(String(Date.now() - first)); process.exit(); });`;
  const child = execFile(process.execPath, ['-e', script], { env });
  const output: string[] = [];
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve) =>
    child.stdout?.on('data', (text: string) => {
      output.push(text);
      resolve();
    }),
  );
  await clocks.set('running', 3600);
  child.stdin?.write('now');
  await ended;
  expect(Number(output.join('').replace('ready', ''))).toBeGreaterThan(3_000_000);
});
