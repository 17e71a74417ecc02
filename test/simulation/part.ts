import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Running } from '../../scripts/embedded/processes';
import { type Supervisor } from '../../scripts/launcher/supervisor';

const execute = promisify(execFile);

/** A part that a supervisor keeps running. */
export class Part {
  private running: Running | undefined;

  constructor(
    readonly name: string,
    private readonly begin: () => Promise<Running>,
  ) {}

  async keep(supervisor: Supervisor): Promise<void> {
    await supervisor.keep(this.name, async () => {
      const running = await this.begin();
      this.running = running;
      void running.ended.then(() => (this.running = undefined));
      return running;
    });
  }

  get pid(): number | undefined {
    return this.running?.pid;
  }

  /** Asks it to stop, and resolves when it runs again. */
  async restart(supervisor: Supervisor): Promise<void> {
    const before = this.running;
    supervisor.expectEnd(this.name);
    await before?.stop();
    await this.isReplaced(before?.pid);
  }

  async isReplaced(pid: number | undefined): Promise<void> {
    while (this.pid === undefined || this.pid === pid) await sleep(50);
  }
}

/** False if the process has ended already. */
export function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && process.kill(pid, name);
  } catch {
    return false;
  }
}

/** With the processes that it has started: those of PostgreSQL serve one connection each. */
export async function freeze(pid: number | undefined): Promise<(() => void) | undefined> {
  if (!signal(pid, 'SIGSTOP')) return undefined;
  const { stdout } = await execute('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }));
  const children = stdout.split('\n').filter(Boolean).map(Number);
  for (const child of children) signal(child, 'SIGSTOP');
  return () => {
    for (const one of [...children, pid]) signal(one, 'SIGCONT');
  };
}
