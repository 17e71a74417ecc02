import { logger } from './logger';

/**
 * Repeats its work with a pause in between, until it is stopped. A failure is logged, and the next round tries again.
 */
export class PeriodicTask {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly pauseMs: number,
    private readonly work: () => Promise<void>,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.round().finally(() => {
        if (!this.stopped) this.start();
      });
    }, this.pauseMs);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async round(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      logger.warn({ work: this.name, reason: (error as Error).message }, 'a round of a periodic task failed');
    }
  }
}
