import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';

export interface WorkerFacts {
  address: string;
  namespace: string;
  taskQueue: string;
  /** The file made by `npm run build`. */
  workflowBundle: string;
  activities: object;
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

export async function startWorker(facts: WorkerFacts): Promise<RunningWorker> {
  const connection = await NativeConnection.connect({ address: facts.address });
  const worker = await Worker.create({
    ...tuning,
    connection,
    namespace: facts.namespace,
    taskQueue: facts.taskQueue,
    workflowBundle: { codePath: facts.workflowBundle },
    activities: facts.activities,
  });
  const stopped = worker.run().finally(() => connection.close());
  return {
    stopped,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await stopped;
    },
  };
}
