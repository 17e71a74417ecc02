import { temporal } from '@temporalio/proto';
import { backgroundTaskQueue, webhookTaskQueue } from '../../workflows/messages';
import { config } from '../config';
import { type QueueGauges } from './metrics';
import { client, reach } from './temporalConnection';

/** For the metrics: who polls the task queues in Temporal, and how many tasks wait in them. */

const { TASK_QUEUE_TYPE_ACTIVITY: activities, TASK_QUEUE_TYPE_WORKFLOW: workflows } =
  temporal.api.enums.v1.TaskQueueType;

/** A poll ends after a minute, and the next one begins at once. Temporal lists a poller that has gone for five minutes. */
const polledWithinMs = 120_000;

const queues = [
  { queue: 'interactive', name: config.TEMPORAL_TASK_QUEUE, types: [workflows, activities] },
  { queue: 'background', name: backgroundTaskQueue(config.TEMPORAL_TASK_QUEUE), types: [activities] },
  { queue: 'webhooks', name: webhookTaskQueue(config.TEMPORAL_TASK_QUEUE), types: [activities] },
] as const;

const rememberedMs = 10_000;
let last: { atMs: number; counts: Promise<QueueGauges[]> } | undefined;

/** Cached for a short time, because several gauges read it during one scrape. */
export function countQueues(): Promise<QueueGauges[]> {
  if (last === undefined || Date.now() - last.atMs > rememberedMs) last = { atMs: Date.now(), counts: readQueues() };
  return last.counts;
}

/** Without the queues about which Temporal does not answer. No call is left behind when this ends. */
export async function readQueues(): Promise<QueueGauges[]> {
  const read = await Promise.allSettled(queues.map(readQueue));
  return read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

async function readQueue({ queue, name, types }: (typeof queues)[number]): Promise<QueueGauges> {
  const read = [];
  for (const type of types) read.push(await readType(name, type));
  return {
    queue,
    pollers: Math.min(...read.map(({ pollers }) => pollers)),
    waiting: read.reduce((sum, { waiting }) => sum + waiting, 0),
    oldestSeconds: Math.max(...read.map(({ oldestSeconds }) => oldestSeconds)),
  };
}

async function readType(name: string, taskQueueType: temporal.api.enums.v1.TaskQueueType) {
  const call = () =>
    client.workflowService.describeTaskQueue({
      namespace: config.TEMPORAL_NAMESPACE,
      taskQueue: { name },
      taskQueueType,
      reportStats: true,
    });
  // A scrape that fails does not send purchases to the relay.
  const { pollers, stats } = await reach(call, () => false);
  const since = Date.now() - polledWithinMs;
  return {
    pollers: pollers.filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 > since).length,
    waiting: Number(stats?.approximateBacklogCount ?? 0),
    oldestSeconds: Number(stats?.approximateBacklogAge?.seconds ?? 0),
  };
}
