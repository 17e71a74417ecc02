import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Stops a process, which need not be a child of this one: a signal, a bounded wait, then SIGKILL. */
export async function stopProcess(
  pid: number,
  { signal, withinMs }: { signal: NodeJS.Signals; withinMs: number },
): Promise<void> {
  if (!sendSignal(pid, signal) || (await isGone(pid, withinMs))) return;
  sendSignal(pid, 'SIGKILL');
  await isGone(pid, 5_000);
}

async function isGone(pid: number, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(20)) {
    if (findCommand(pid) === undefined) return true;
  }
  return false;
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/**
 * The command line of a process; undefined if there is no such process, or if it has ended and was not collected yet.
 */
export function findCommand(pid: number): string | undefined {
  try {
    const command = existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.trim() || undefined;
  } catch {
    return undefined;
  }
}
