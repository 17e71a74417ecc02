import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { workerDataConverter } from '../src/adapters/payloadCodec';
import { webhookTaskQueue } from '../workflows/messages';

export interface WorkerFacts {
  address: string;
  namespace: string;
  taskQueue: string;
  /** The file made by `npm run build`. */
  workflowBundle: string;
  activities: object;
  /** For a program that is measured beside the service, and has nothing to hide. */
  payloadsArePlain?: true;
}

/** A running worker: `stop` lets what runs finish, then closes. `stopped` settles when it has, or fails when it broke. */
export interface RunningWorker {
  stopped: Promise<void>;
  stop(): Promise<void>;
}

const tuning: Partial<WorkerOptions> = {
  // A killed worker's workflows go to another one after this, instead of the default ten seconds.
  stickyQueueScheduleToStartTimeout: '1s',
  shutdownGraceTime: '10s',
  shutdownForceTime: '20s',
  maxCachedWorkflows: 2_000,
};

/** How many merchants' servers are waited for at the same time; others wait behind them, and nothing else does. */
const webhookAttemptsAtOnce = 100;

export async function startWorker(facts: WorkerFacts): Promise<RunningWorker> {
  const { namespace, taskQueue, activities } = facts;
  const connection = await NativeConnection.connect({ address: facts.address });
  const converter = facts.payloadsArePlain ? {} : { dataConverter: workerDataConverter };
  const common = { ...tuning, ...converter, connection, namespace, activities };
  const workers = [
    await Worker.create({ ...common, taskQueue, workflowBundle: { codePath: facts.workflowBundle } }),
    await Worker.create({
      ...common,
      taskQueue: webhookTaskQueue(taskQueue),
      maxConcurrentActivityTaskExecutions: webhookAttemptsAtOnce,
    }),
  ];
  const stopAll = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  // One that breaks takes the other along: half a worker would look like a whole one.
  const running = workers.map((worker) => worker.run().finally(stopAll));
  const stopped = Promise.allSettled(running)
    .then(() => Promise.all(running))
    .finally(() => connection.close())
    .then(() => undefined);
  return {
    stopped,
    stop: async () => {
      stopAll();
      await stopped;
    },
  };
}
