import { eachInParallel } from '../kit/concurrency';
import { logger } from './logger';
import { knownRuns, type SweepPace, type RunCheck } from './runs';
import { ensureSchedule } from './schedules';
import { checkTemporal, reasonOf, registerSearchAttributes, temporalAnswers } from './temporalConnection';

/** At this pace all runs are back within an hour after Temporal has lost its data. */
export const usualPace: SweepPace = {
  overdueSeconds: 120,
  lateSeconds: 600,
  againSeconds: 300,
  roundSeconds: 1_800,
  rows: 3_000,
};

const startsAtOnce = 20;

/**
 * Starts the runs that rows need and that are missing in Temporal: first those of overdue rows, then those of all other
 * rows in turn. Signals existing runs whose rows are long overdue. Returns how many were missing.
 */
export async function sweepRuns(pace: SweepPace = usualPace): Promise<number> {
  await checkTemporal();
  await registerSearchAttributes();
  for (const workflow of ['reconcile', 'storeHistories'] as const) await ensureSchedule(workflow);
  let missing = 0;
  for (const take of ['takeDue', 'takeNext'] as const) {
    // Overdue rows have a limit of their own, so that they do not use up the limit of the round.
    let left = pace.rows;
    for (const source of knownRuns()) {
      if (left === 0) break;
      if (!temporalAnswers()) return missing;
      const checks = await source[take](pace, left);
      left -= checks.length;
      const started = await startMissing(checks);
      if (started > 0)
        logger.warn({ workflow: source.workflow, started }, 'started runs that were missing in Temporal');
      missing += started;
    }
  }
  return missing;
}

/** Starts several runs in parallel. A later sweep checks those again that could not be started. */
async function startMissing(checks: RunCheck[]): Promise<number> {
  let started = 0;
  await eachInParallel(checks, startsAtOnce, async (check) => {
    if (temporalAnswers() && (await tryStart(check))) started += 1;
  });
  return started;
}

async function tryStart(check: RunCheck): Promise<boolean> {
  try {
    return await check.start();
  } catch (error) {
    logger.warn({ workflowId: check.workflowId, reason: reasonOf(error) }, 'a missing run was not started');
    return false;
  }
}
