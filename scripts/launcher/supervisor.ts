import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessGroup, type Running } from '../embedded/processes';
import { messageOf, say } from './words';

const shortestPauseMs = 500;
/** A part that has run for this long counts as healthy, so its next failure is counted as the first. */
const steadyMs = 60_000;

interface SupervisorOptions {
  tell?: (line: string) => void;
  longestPauseMs?: number;
}

/** Keeps parts running. A part that ends unexpectedly is started again, after pauses that grow. */
export class Supervisor {
  /** The parts that are being restarted on purpose. */
  private readonly ending = new Set<string>();
  private readonly tell: (line: string) => void;
  private readonly longestPauseMs: number;

  constructor(
    readonly processes: ProcessGroup,
    { tell = say, longestPauseMs = 10_000 }: SupervisorOptions = {},
  ) {
    this.tell = tell;
    this.longestPauseMs = longestPauseMs;
  }

  /** Resolves when the part runs for the first time, and rejects if that fails. */
  async keep<T extends Running>(name: string, begin: () => Promise<T>): Promise<T> {
    const running = await this.announce(name, begin);
    void this.restartAfterEnd(name, begin, running);
    return running;
  }

  /** The next end of the part is part of a restart. The part is then started again without a pause. */
  expectEnd(name: string): void {
    this.ending.add(name);
  }

  async stopAll(): Promise<void> {
    await this.processes.stopAll((name, stopped) => {
      const began = Date.now();
      void stopped.then(() => this.tell(`${name} has stopped (${((Date.now() - began) / 1000).toFixed(1)} s)`));
    });
  }

  private async announce<T extends Running>(name: string, begin: () => Promise<T>): Promise<T> {
    const began = Date.now();
    const running = await begin();
    this.tell(`${name} is ready (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    return running;
  }

  private async restartAfterEnd(name: string, begin: () => Promise<Running>, first: Running): Promise<void> {
    let running: Running | undefined = first;
    let how = '';
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, this.longestPauseMs)) {
      const began = Date.now();
      if (running !== undefined) how = await running.ended;
      if (this.processes.isStopping) return;
      if (Date.now() - began > steadyMs) pauseMs = shortestPauseMs;
      if (!this.ending.delete(name)) {
        this.tell(`${name} ended unexpectedly (${how}): starting it again in ${pauseMs / 1000} s`);
        await sleep(pauseMs);
      }
      running = await this.announce(name, begin).catch((error: unknown) => {
        [how = ''] = messageOf(error).split('\n');
        return undefined;
      });
    }
  }
}
