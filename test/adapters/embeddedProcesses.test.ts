import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopLeftovers } from '../../scripts/embedded/leftovers';
import { ProcessGroup } from '../../scripts/embedded/processes';
import { findCommand } from '../../scripts/embedded/processTable';

const folder = mkdtempSync(join(tmpdir(), 'paywall-processes-'));
const logFile = join(folder, 'log');
const recordFile = join(folder, 'processes.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const startShell = (processes: ProcessGroup, name: string, script: string, stopRank: number) =>
  processes.start(name, '/bin/sh', ['-c', script], { stopRank, stopWithinMs: 300, logFile });

const waits = 'while :; do sleep 0.05; done';

test('processes stop in the order of their ranks, whatever the order of their starts', async () => {
  const processes = new ProcessGroup();
  await startShell(processes, 'database', waits, 4);
  await startShell(processes, 'API', waits, 1);
  await startShell(processes, 'worker', waits, 2);
  const stopped: string[] = [];
  await processes.stopAll((name) => stopped.push(name));
  expect(stopped).toEqual(['API', 'worker', 'database']);
});

test('a process that ignores the request to stop is ended all the same', async () => {
  const processes = new ProcessGroup();
  const deaf = await startShell(processes, 'deaf', `trap '' TERM; echo ready; ${waits}`, 1);
  while (!readFileSync(logFile, 'utf8').includes('ready')) await new Promise((resolve) => setTimeout(resolve, 10));
  await processes.stopAll();
  expect(await deaf.ended).toBe('SIGKILL');
});

test('nothing starts any more once all have been stopped', async () => {
  const processes = new ProcessGroup();
  await processes.stopAll();
  await expect(startShell(processes, 'late', waits, 1)).rejects.toThrow('everything is stopping');
});

test('what a killed program left behind is found by its record, and only while it is the same process', async () => {
  const processes = new ProcessGroup({ recordFile });
  const left = await startShell(processes, 'left', waits, 1);
  expect(await stopLeftovers(recordFile)).toEqual(['left']);
  expect(findCommand(left.pid)).toBeUndefined();
  await left.ended;
  expect(await stopLeftovers(recordFile)).toEqual([]);
  await processes.stopAll();
});
