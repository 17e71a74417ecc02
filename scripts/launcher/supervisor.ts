import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessGroup, type Running } from '../../src/adapters/embedded/processes';
import { messageOf, say } from './words';

const shortestPauseMs = 500;
const longestPauseMs = 30_000;
/** After this long the next failure counts as the first again. */
const steadyMs = 60_000;

/** Keeps parts running: one that ends without being asked to is started again, after pauses that grow. */
export class Supervisor {
  private stopping = false;

  constructor(readonly processes: ProcessGroup) {}

  /** Resolves when the part runs for the first time; rejects when that fails. */
  async keep<T extends Running>(name: string, begin: () => Promise<T>): Promise<T> {
    const began = Date.now();
    const running = await begin();
    say(`${name} is ready (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    void this.restartAfterEnd(name, begin, running);
    return running;
  }

  async stopAll(): Promise<void> {
    this.stopping = true;
    await this.processes.stopAll((name, stopped) => {
      const began = Date.now();
      void stopped.then(() => say(`${name} has stopped (${((Date.now() - began) / 1000).toFixed(1)} s)`));
    });
  }

  private async restartAfterEnd(name: string, begin: () => Promise<Running>, first: Running): Promise<void> {
    let running: Running | undefined = first;
    let how = '';
    for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const began = Date.now();
      if (running !== undefined) how = await running.ended;
      if (this.stopping) return;
      if (Date.now() - began > steadyMs) pauseMs = shortestPauseMs;
      say(`${name} ended unexpectedly (${how}): starting it again in ${pauseMs / 1000} s`);
      await sleep(pauseMs);
      running = await begin().catch((error: unknown) => {
        [how = ''] = messageOf(error).split('\n');
        return undefined;
      });
    }
  }
}
