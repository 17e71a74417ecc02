import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { findInstalled, isExecutable } from './installed';
import { lastLines, type ProcessGroup } from './processes';

/** Programs that are built once with the Go compiler of this machine, and kept in the user's cache folder. */

export interface Build {
  processes: ProcessGroup;
  logFile: string;
}

/** The compiler on PATH, or the one that GO names. */
export function findGo(): string | undefined {
  const given = process.env['GO'];
  return given ? [given].find(isExecutable) : findInstalled('go', ['/usr/local/go/bin']);
}

/** A file in the user's cache folder, which all checkouts share. */
export function cachedFile(...names: string[]): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'paywall', ...names);
}

/**
 * Calls `fetchInto` with an empty folder, and moves the program that it returns to `cached`. An interrupted call leaves
 * nothing there, and several processes may do this at once.
 */
export async function keep(cached: string, fetchInto: (folder: string) => Promise<string>): Promise<void> {
  const parent = dirname(dirname(cached));
  await mkdir(parent, { recursive: true });
  const unfinished = await mkdtemp(join(parent, 'unfinished-'));
  try {
    const program = await fetchInto(unfinished);
    await mkdir(dirname(cached), { recursive: true });
    await rename(program, cached);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/**
 * Builds the main package `source` (`module/path@version`) into the folder. A release that needs a newer compiler gets it
 * as a module, from Go 1.21 on. Returns the path of the program.
 */
export async function goInstall(folder: string, source: string, { processes, logFile }: Build): Promise<string> {
  const go = findGo();
  if (go === undefined) throw new Error('there is no Go compiler on PATH');
  const compiler = await processes.start('the Go compiler', go, ['install', '-ldflags', '-s -w', source], {
    stopRank: 0,
    logFile,
    cwd: folder,
    env: { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOTOOLCHAIN: 'auto' },
  });
  const how = await compiler.ended;
  if (how !== 'exit code 0') throw new Error(`go install ended with ${how}\n${lastLines(logFile)}`);
  return join(folder, /([^/]+)@/.exec(source)?.[1] ?? '');
}
