import { condition } from '@temporalio/workflow';
import { type Carried } from './messages';

/** A merchant's time: the server's, unless a test clock has moved it ahead. It never goes back. */
export class MerchantClock {
  private aheadMs: number;
  private jumpedToMs: number;
  /** How often it was moved. */
  moves = 0;

  constructor({ aheadMs, jumpedToMs }: Carried['clock']) {
    this.aheadMs = aheadMs;
    this.jumpedToMs = jumpedToMs;
  }

  now(): number {
    return Date.now() + this.aheadMs;
  }

  /** When a step happens that was due at an instant: then, if the clock has jumped over it; else now. */
  timeOf(dueMs: number): number {
    return dueMs <= this.jumpedToMs ? dueMs : Math.max(dueMs, this.now());
  }

  move(aheadMs: number): void {
    if (aheadMs <= this.aheadMs) return;
    this.aheadMs = aheadMs;
    this.jumpedToMs = this.now();
    this.moves += 1;
  }

  /** Waits for an instant, or until somebody calls. A move of the clock is taken into account, not polled for. */
  async waitUntil(dueMs: number, isCalled: () => boolean, summary: string): Promise<void> {
    while (this.now() < dueMs && !isCalled()) {
      const { moves } = this;
      await condition(() => isCalled() || this.moves !== moves, dueMs - this.now(), { summary });
    }
  }

  handOn(): Carried['clock'] {
    return { aheadMs: this.aheadMs, jumpedToMs: this.jumpedToMs };
  }
}
