import { join } from 'node:path';
import { DefaultLogger, Runtime, type LogLevel } from '@temporalio/worker';
import { createActivities } from '../activities';
import { logger } from '../src/adapters/logger';
import { closeDatabase } from '../src/adapters/postgres/connection';
import { releaseStartupMemory } from '../src/adapters/startupMemory';
import { ensureSchedule } from '../src/adapters/schedules';
import { closeTemporal, registerSearchAttributes } from '../src/adapters/temporal';
import { config } from '../src/config';
import { startWorker } from './worker';

/** A worker process: `npm run worker`. It drains on SIGTERM and ctrl-C. */
async function main(): Promise<void> {
  const levels: Partial<Record<LogLevel, 'debug' | 'info' | 'warn' | 'error'>> = {
    DEBUG: 'debug',
    INFO: 'info',
    WARN: 'warn',
    ERROR: 'error',
  };
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      const { workflowId, runId, activityType, attempt, error } = meta ?? {};
      logger[levels[level] ?? 'debug']({ workflowId, runId, activityType, attempt, err: error as unknown }, message);
    }),
    shutdownSignals: [],
    ...(config.WORKER_METRICS_PORT > 0 && {
      telemetryOptions: {
        metrics: { prometheus: { bindAddress: `${config.HOST}:${config.WORKER_METRICS_PORT}`, unitSuffix: true } },
      },
    }),
  });
  await registerSearchAttributes().catch((error: Error) =>
    logger.warn({ reason: error.message }, 'the search attributes must be registered by hand'),
  );
  const worker = await startWorker({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    workflowBundle: config.WORKFLOW_BUNDLE ?? join(__dirname, '..', 'workflow-bundle.js'),
    activities: createActivities(),
  });
  await ensureSchedule('reconcile').catch((error: Error) =>
    logger.warn({ reason: error.message }, 'nothing reconciles the charges'),
  );
  releaseStartupMemory();
  logger.info({ taskQueue: config.TEMPORAL_TASK_QUEUE }, 'the worker polls');
  const stop = () => void worker.stop();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  await worker.stopped;
  await closeTemporal();
  await closeDatabase();
  process.exit(0);
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, 'the worker stopped');
  process.exit(1);
});
