import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { findCommand, stopProcess } from './processTable';

const Recorded = z.object({
  name: z.string(),
  pid: z.int(),
  command: z.string(),
  stopSignal: z.enum(['SIGTERM', 'SIGINT']),
});

export interface Recordable {
  name: string;
  readonly pid: number;
  stopSignal: 'SIGTERM' | 'SIGINT';
}

/** Writes down which processes run, in the order in which they must be stopped. */
export function recordProcesses(file: string, processes: readonly Recordable[]): void {
  const recorded = processes.map(({ name, pid, stopSignal }) => ({
    name,
    pid,
    stopSignal,
    command: findCommand(pid) ?? '',
  }));
  try {
    writeFileSync(`${file}.new`, JSON.stringify(recorded));
    renameSync(`${file}.new`, file);
  } catch {
    // Somebody removed the data folder under a running program: no reason to stop it.
  }
}

/**
 * Stops the processes that a killed program left running, and returns their names. Process ids are reused, so the
 * command must match.
 */
export async function stopLeftovers(file: string): Promise<string[]> {
  const alive = readRecord(file).filter(({ pid, command }) => command !== '' && findCommand(pid) === command);
  for (const { pid, stopSignal } of alive) await stopProcess(pid, { signal: stopSignal, withinMs: 15_000 });
  return alive.map(({ name }) => name);
}

function readRecord(file: string): z.output<typeof Recorded>[] {
  try {
    return z.array(Recorded).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return [];
  }
}
