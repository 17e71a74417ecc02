import { knownRuns, type RunCheck } from '../adapters/runs';
import { eachInParallel } from '../kit/concurrency';

const atOnce = 20;

/** Ends the runs of merchants in Temporal. Sweeps and signals start none while their merchant moves. */
export const endRuns = (group: readonly number[]): Promise<number> => each(group, (check) => check.end());

/** Starts the runs that the rows of merchants need. The sweep starts those that are still missing. */
export const startRuns = (group: readonly number[]): Promise<number> =>
  each(group, async (check) => void (await check.start()));

async function each(group: readonly number[], act: (check: RunCheck) => Promise<void>): Promise<number> {
  let count = 0;
  for (const source of knownRuns()) {
    for await (const checks of source.listOf(group)) {
      await eachInParallel(checks, atOnce, act);
      count += checks.length;
    }
  }
  return count;
}
