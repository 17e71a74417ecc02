import { setTimeout as sleep } from 'node:timers/promises';
import { type Running } from './processes';

const betweenLooksMs = 50;

/** Waits until a started process works. A failure of `isReady` counts as not ready. Throws if the process ends or is too slow. */
export async function untilReady(running: Running, isReady: () => Promise<boolean>, withinMs: number): Promise<void> {
  let howItEnded: string | undefined;
  void running.ended.then((how) => (howItEnded = how));
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(betweenLooksMs)) {
    if (howItEnded !== undefined) throw new Error(howItEnded);
    if (await isReady().catch(() => false)) return;
  }
  throw new Error(`not ready within ${withinMs / 1000} s`);
}
