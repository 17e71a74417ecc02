import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Recordable, recordProcesses } from './leftovers';
import { stopProcess } from './processTable';
import { Watchdog } from './watchdog';

/** A process that was started by this one. */
export interface Running {
  readonly pid: number;
  /** Resolves when the process has ended, with the reason: `exit code 1`, `SIGKILL`. Never rejects. */
  readonly ended: Promise<string>;
  /** Sends a stop signal, waits a bounded time, then kills the process. Resolves when it has ended. */
  stop(): Promise<void>;
}

export interface ProcessOptions {
  /** The stop order: processes with lower numbers stop first. */
  stopRank: number;
  logFile: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  stopSignal?: Recordable['stopSignal'];
  stopWithinMs?: number;
  /** How much of its priority the process gives up: 1 to 19. */
  niceness?: number;
}

interface Entry extends Running, Recordable {
  stopRank: number;
}

/**
 * The processes that start and stop with this one. Each runs in a session of its own, because ctrl-C in a terminal
 * signals the whole process group at once, and a database that stops together with its clients loses what they were
 * writing.
 */
export class ProcessGroup {
  private readonly entries = new Set<Entry>();
  private readonly logs = new Set<string>();
  private readonly watchdog: Watchdog;
  /** From then on nothing can be started. */
  isStopping = false;

  /** `recordFile` is for `stopLeftovers`. `removeFolder` is removed after this process was killed. */
  constructor(private readonly options: { recordFile?: string; removeFolder?: string } = {}) {
    this.watchdog = new Watchdog(options.removeFolder);
  }

  async start(name: string, command: string, args: readonly string[], options: ProcessOptions): Promise<Running> {
    if (this.isStopping) throw new Error(`${name} was not started: everything is stopping`);
    const log = this.openLog(options.logFile);
    const { niceness } = options;
    const line = niceness === undefined ? [command, ...args] : ['nice', '-n', String(niceness), command, ...args];
    const child = spawn(line[0] ?? '', line.slice(1), {
      detached: true,
      stdio: ['ignore', log, log],
      env: options.env ?? process.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    });
    closeSync(log);
    const ended = new Promise<string>((resolve) => {
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
      child.once('error', (error) => resolve(error.message));
    });
    const { pid } = child;
    if (pid === undefined) throw new Error(`${name} could not be started: ${await ended}`);
    const stopSignal = options.stopSignal ?? 'SIGTERM';
    const stop = () => stopProcess(pid, { signal: stopSignal, withinMs: options.stopWithinMs ?? 10_000 });
    const entry: Entry = { name, pid, ended, stop, stopSignal, stopRank: options.stopRank };
    this.entries.add(entry);
    this.note();
    void ended.then(() => {
      this.entries.delete(entry);
      this.note();
    });
    return entry;
  }

  /** Stops all processes one after the other, in the order of their ranks. After that nothing can be started. */
  async stopAll(report: (name: string, stopped: Promise<void>) => void = () => {}): Promise<void> {
    this.isStopping = true;
    for (const entry of this.inStopOrder()) {
      const stopped = entry.stop();
      report(entry.name, stopped);
      await stopped;
    }
    this.watchdog.dismiss();
  }

  /** One log per run. The log of the previous run is kept as `.1`. */
  private openLog(path: string): number {
    mkdirSync(dirname(path), { recursive: true });
    if (!this.logs.has(path) && existsSync(path)) renameSync(path, `${path}.1`);
    this.logs.add(path);
    return openSync(path, 'a', 0o600);
  }

  private inStopOrder(): Entry[] {
    return [...this.entries].sort((a, b) => a.stopRank - b.stopRank);
  }

  /** Updates the record and the watchdog, which clean up if this process cannot. */
  private note(): void {
    const entries = this.inStopOrder();
    this.watchdog.watch(entries);
    if (this.options.recordFile !== undefined) recordProcesses(this.options.recordFile, entries);
  }
}

/** The last lines of a log, for an error message. */
export function lastLines(logFile: string, count = 8): string {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
  } catch {
    return '';
  }
}
