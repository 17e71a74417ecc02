import { type z } from 'zod';
import { type ClockResponse } from './testClock.schemas';

export function presentClock(clock: { atMs: number; aheadMs: number }): z.output<typeof ClockResponse> {
  return {
    now: Math.floor(clock.atMs / 1000),
    time: new Date(clock.atMs).toISOString(),
    ahead: Math.floor(clock.aheadMs / 1000),
  };
}
