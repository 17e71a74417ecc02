import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { ProcessGroup } from './embedded/processes';

/** What the programs that run a whole service have in common. */

const root = resolve(__dirname, '../..');

/** Runs in a folder of its own, and stops all processes at the end. The program ends with 1 if `run` returns false. */
export async function runAlone(run: (folder: string, processes: ProcessGroup) => Promise<boolean>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'paywall-simulation-'));
  // PostgreSQL may run under another account than this program.
  await chmod(folder, 0o755);
  const processes = new ProcessGroup({ removeFolder: folder });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= processes.stopAll().then(() => rm(folder, { recursive: true, force: true })));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stop().then(() => process.exit(1)));
  try {
    process.exitCode = (await run(folder, processes)) ? 0 : 1;
  } finally {
    await stop();
  }
}

export function countOf(name: string, text: string, least = 0): number {
  const count = Number(text);
  if (Number.isFinite(count) && count >= least) return count;
  throw new Error(`--${name} must be a number of at least ${least}, and is ${text}.`);
}

/** Prints lines with the seconds since now. */
export function teller(): (line: string) => void {
  const beganAt = performance.now();
  return (line) => console.log(`${((performance.now() - beganAt) / 1000).toFixed(0).padStart(5)} s  ${line}`);
}

/** With `+` if the sources differ from the commit. */
export function readCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    return git('rev-parse', '--short=10', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') ? '+' : '');
  } catch {
    return 'unknown';
  }
}

/** `add` gets the text of the file so far. */
export function addToReport(file: string, add: (text: string) => string): void {
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, add(existsSync(file) ? readFileSync(file, 'utf8') : ''));
}
