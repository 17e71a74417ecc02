import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { workerDataConverter } from '../src/adapters/payloadCodec';
import { temporalSecurity } from '../src/adapters/temporalServer';
import { tracingOptions } from '../src/adapters/activityTracing';
import { config } from '../src/config';
import { backgroundTaskQueue, webhookTaskQueue } from '../workflows/messages';

export interface WorkerFacts {
  address: string;
  namespace: string;
  taskQueue: string;
  /** The file that `npm run build` writes. */
  workflowBundle: string;
  activities: object;
  /** Turns the encryption of payloads off, for benchmarks only. */
  payloadsArePlain?: true;
}

/**
 * A running worker. `stop` waits for running tasks and then closes. `stopped` settles after that, and rejects if the
 * worker failed.
 */
export interface RunningWorker {
  stopped: Promise<void>;
  /** Whether all of its queues are polled. */
  isPolling(): boolean;
  stop(): Promise<void>;
}

const tuning: Partial<WorkerOptions> = {
  // Another worker takes over a dead worker's workflows after this, instead of the default ten seconds.
  stickyQueueScheduleToStartTimeout: '1s',
  shutdownGraceTime: '10s',
  shutdownForceTime: '20s',
  maxCachedWorkflows: 2_000,
};

export async function startWorker(facts: WorkerFacts): Promise<RunningWorker> {
  const connection = await NativeConnection.connect({ address: facts.address, ...temporalSecurity() });
  const workers = await createWorkers(facts, connection);
  const stopAll = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  // If one of the workers fails, all are stopped: a partly running process would look healthy.
  const running = workers.map((worker) => worker.run().finally(stopAll));
  const stopped = Promise.allSettled(running)
    .then(() => Promise.all(running))
    .finally(() => connection.close())
    .then(() => undefined);
  return {
    stopped,
    isPolling: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    stop: async () => {
      stopAll();
      await stopped;
    },
  };
}

/** For each queue of this process: one for workflows and their activities, and one each for background work and webhooks. */
function createWorkers(facts: WorkerFacts, connection: NativeConnection): Promise<Worker[]> {
  const { namespace, taskQueue, activities } = facts;
  const converter = facts.payloadsArePlain ? {} : { dataConverter: workerDataConverter };
  const common = { ...tuning, ...converter, ...tracingOptions(), connection, namespace, activities };
  const options: Record<(typeof config.WORKER_QUEUES)[number], WorkerOptions> = {
    interactive: {
      ...common,
      taskQueue,
      workflowBundle: { codePath: facts.workflowBundle },
      maxConcurrentWorkflowTaskExecutions: config.WORKER_WORKFLOW_TASKS,
      maxConcurrentActivityTaskExecutions: config.WORKER_ACTIVITIES,
    },
    background: {
      ...common,
      taskQueue: backgroundTaskQueue(taskQueue),
      maxConcurrentActivityTaskExecutions: config.WORKER_BACKGROUND_ACTIVITIES,
    },
    webhooks: {
      ...common,
      taskQueue: webhookTaskQueue(taskQueue),
      maxConcurrentActivityTaskExecutions: config.WORKER_WEBHOOKS,
    },
  };
  const queues = [...new Set(config.WORKER_QUEUES)];
  return Promise.all(queues.map((queue) => Worker.create(options[queue])));
}
