import { condition } from '@temporalio/workflow';
import { type ClockState } from './messages';

/** A merchant's time: the server's time plus the offset of a test clock. It never moves back. */
export class MerchantClock {
  private aheadMs = 0;
  private jumpedToMs = 0;
  /** The number of moves of the clock. */
  moves = 0;

  /** Sets the clock from the database. A signal may have moved it further before the database was read. */
  set({ aheadMs, jumpedToMs }: ClockState): void {
    this.aheadMs = Math.max(this.aheadMs, aheadMs);
    this.jumpedToMs = Math.max(this.jumpedToMs, jumpedToMs);
  }

  now(): number {
    return Date.now() + this.aheadMs;
  }

  /** The time at which a due step takes effect: the due time if the clock skipped it, otherwise now. */
  timeOf(dueMs: number): number {
    return dueMs <= this.jumpedToMs ? dueMs : Math.max(dueMs, this.now());
  }

  move(aheadMs: number): void {
    if (aheadMs <= this.aheadMs) return;
    this.aheadMs = aheadMs;
    this.jumpedToMs = this.now();
    this.moves += 1;
  }

  /**
   * Waits until a time, or until `isCalled` is true. A move of the clock wakes the wait. `delayMs` is added in real
   * time; a test clock that is ahead skips it.
   */
  async waitUntil(dueMs: number, isCalled: () => boolean, summary: string, delayMs = 0): Promise<void> {
    const leftMs = () => dueMs + (this.aheadMs === 0 ? delayMs : 0) - this.now();
    while (leftMs() > 0 && !isCalled()) {
      const { moves } = this;
      await condition(() => isCalled() || this.moves !== moves, leftMs(), { summary });
    }
  }
}
