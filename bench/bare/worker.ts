import { DefaultLogger, Runtime } from '@temporalio/worker';
import { config } from '../../src/config';
import { startWorker } from '../../workers/worker';
import { bareActivities } from './activities';

/** A worker process with the product's tuning, for the bare workflow. */
async function main(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
  const worker = await startWorker({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    workflowBundle: config.WORKFLOW_BUNDLE ?? '',
    activities: bareActivities,
    payloadsArePlain: true,
  });
  process.once('SIGTERM', () => void worker.stop());
  await worker.stopped;
}

void main();
