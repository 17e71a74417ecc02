import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Recordable, recordProcesses } from './leftovers';
import { stopProcess } from './processTable';
import { Watchdog } from './watchdog';

/** A process that runs beside this one. */
export interface Running {
  readonly pid: number;
  /** Resolves when the process is gone, with how it ended: `exit code 1`, `SIGKILL`. Never rejects. */
  readonly ended: Promise<string>;
  /** Asks it to stop, waits a bounded time, then ends it. Resolves when it is gone. */
  stop(): Promise<void>;
}

export interface ProcessOptions {
  /** What stops first: lower numbers go before higher ones. */
  stopRank: number;
  logFile: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  uid?: number;
  gid?: number;
  stopSignal?: Recordable['stopSignal'];
  stopWithinMs?: number;
}

interface Entry extends Running, Recordable {
  stopRank: number;
}

/**
 * The processes that live and die with this one. Each runs in a session of its own, because ctrl-C in a terminal signals
 * the whole process group at once, and a database that stops together with its users loses what they were writing.
 */
export class ProcessGroup {
  private readonly entries = new Set<Entry>();
  private readonly logs = new Set<string>();
  private readonly watchdog: Watchdog;
  private closed = false;

  /** `recordFile` is for `stopLeftovers`; `removeFolder` goes when this process was killed. */
  constructor(private readonly options: { recordFile?: string; removeFolder?: string } = {}) {
    this.watchdog = new Watchdog(options.removeFolder);
  }

  async start(name: string, command: string, args: readonly string[], options: ProcessOptions): Promise<Running> {
    if (this.closed) throw new Error(`${name} was not started: everything is stopping`);
    const log = this.openLog(options.logFile);
    const child = spawn(command, args, {
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

  /** Stops all, one after the other, in the order of their ranks; nothing can be started any more. */
  async stopAll(report: (name: string, stopped: Promise<void>) => void = () => {}): Promise<void> {
    this.closed = true;
    for (const entry of this.inStopOrder()) {
      const stopped = entry.stop();
      report(entry.name, stopped);
      await stopped;
    }
    this.watchdog.dismiss();
  }

  /** One log a run: the one of the run before is kept beside it. */
  private openLog(path: string): number {
    mkdirSync(dirname(path), { recursive: true });
    if (!this.logs.has(path) && existsSync(path)) renameSync(path, `${path}.1`);
    this.logs.add(path);
    return openSync(path, 'a', 0o600);
  }

  private inStopOrder(): Entry[] {
    return [...this.entries].sort((a, b) => a.stopRank - b.stopRank);
  }

  /** Tells those who clean up when this process cannot. */
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
