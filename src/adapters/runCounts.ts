import { config } from '../config';
import { type WorkflowName } from '../../workflows/messages';
import { type RunGauges } from './metrics';
import { knownRuns, type RunSource } from './runs';
import { client, reach } from './temporalConnection';

/** For the metrics: compares the rows that need a run with the runs in Temporal. */

const rememberedMs = 15_000;
let last: { atMs: number; counts: Promise<RunGauges[]> } | undefined;

/** Cached for a short time, because several gauges read it during one scrape. */
export function countRuns(): Promise<RunGauges[]> {
  if (last === undefined || Date.now() - last.atMs > rememberedMs) last = { atMs: Date.now(), counts: readCounts() };
  return last.counts;
}

export async function readCounts(): Promise<RunGauges[]> {
  return Promise.all(knownRuns().map(readCount));
}

async function readCount(source: RunSource): Promise<RunGauges> {
  const { workflow, isScheduled } = source;
  const { needed, overdue, oldestSeconds } = await source.count();
  const running = isScheduled ? undefined : await countRunning(workflow).catch(() => undefined);
  const missing = running === undefined ? undefined : Math.max(0, needed - running);
  return { workflow, overdue, oldestSeconds, missing };
}

/** The number of open runs of a workflow, as Temporal's lists show them. */
async function countRunning(workflow: WorkflowName): Promise<number> {
  const queue = config.TEMPORAL_TASK_QUEUE;
  const query = `WorkflowType = '${workflow}' AND ExecutionStatus = 'Running' AND TaskQueue = '${queue}'`;
  return (await reach(() => client.workflow.count(query))).count;
}
