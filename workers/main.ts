import { once } from 'node:events';
import { type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger, Runtime, type LogLevel } from '@temporalio/worker';
import { createActivities } from '../activities';
import { gaugeCertificates } from '../src/adapters/certificates';
import { waitForDataKey } from '../src/adapters/dataKey';
import { logger } from '../src/adapters/logger';
import { allowStatements, closeDatabase } from '../src/adapters/postgres/connection';
import { refuseUnlimitedPooler } from '../src/adapters/postgres/pooler';
import { refuseOwner } from '../src/adapters/postgres/roles';
import { PeriodicTask } from '../src/adapters/periodicTask';
import { releaseStartupMemory, startSmall } from '../src/adapters/startupMemory';
import { sweepRuns } from '../src/adapters/sweep';
import { checkTemporal, closeTemporal, reasonOf } from '../src/adapters/temporalConnection';
import { config } from '../src/config';
import { startTracing } from '../src/adapters/tracing';
import { createHealthServer } from './health';
import { createWorkerMetrics, findLocalAddress } from './metrics';
import { startWorker } from './worker';

const sweepEveryMs = 10_000;
const askAgainMs = 2_000;

/** A worker process: `npm run worker`. On SIGTERM and ctrl-C it finishes its running tasks. */
async function main(): Promise<void> {
  const stopTracing = startTracing('paywall-worker');
  allowStatements(config.WORKER_STATEMENT_SECONDS);
  const sdkAddress = config.WORKER_METRICS_PORT > 0 ? await findLocalAddress() : undefined;
  installRuntime(sdkAddress);
  const metrics = sdkAddress === undefined ? undefined : listenForMetrics(sdkAddress);
  let isPolling = () => false;
  const health = createHealthServer(() => isPolling());
  if (config.WORKER_HEALTH_PORT > 0) await once(health.listen(config.WORKER_HEALTH_PORT, config.HOST), 'listening');
  await until(refuseOwner, 'the worker waits for another role of the database');
  await until(checkTemporal, 'the worker waits for the workflow server');
  await until(refuseUnlimitedPooler, 'the worker waits for the pooler of the database');
  await waitForDataKey();
  const worker = await startSmall(() =>
    startWorker({
      address: config.TEMPORAL_ADDRESS,
      namespace: config.TEMPORAL_NAMESPACE,
      taskQueue: config.TEMPORAL_TASK_QUEUE,
      workflowBundle: config.WORKFLOW_BUNDLE ?? join(__dirname, '..', 'workflow-bundle.js'),
      activities: createActivities(),
    }),
  );
  isPolling = () => worker.isPolling();
  const sweep = new PeriodicTask('sweep', sweepEveryMs, async () => void (await sweepRuns()));
  sweep.start();
  releaseStartupMemory();
  logger.info({ taskQueue: config.TEMPORAL_TASK_QUEUE }, 'the worker polls');
  const stop = () => void worker.stop();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  await worker.stopped;
  health.close();
  metrics?.close();
  await sweep.stop();
  await closeTemporal();
  await closeDatabase();
  await stopTracing();
  process.exit(0);
}

const levels: Partial<Record<LogLevel, 'debug' | 'info' | 'warn' | 'error'>> = {
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/** Temporal's own part of the process: its log, its metrics, and no handling of signals. */
function installRuntime(metricsAddress: string | undefined): void {
  Runtime.install({
    logger: new DefaultLogger('INFO', ({ level, message, meta }) => {
      const { workflowId, runId, activityType, attempt, error } = meta ?? {};
      logger[levels[level] ?? 'debug']({ workflowId, runId, activityType, attempt, err: error as unknown }, message);
    }),
    shutdownSignals: [],
    ...(metricsAddress !== undefined && {
      telemetryOptions: { metrics: { prometheus: { bindAddress: metricsAddress, unitSuffix: true } } },
    }),
  });
}

function listenForMetrics(sdkAddress: string): Server {
  gaugeCertificates();
  const server = createWorkerMetrics(sdkAddress).listen(config.WORKER_METRICS_PORT, config.HOST);
  return server.on('error', (error) => logger.warn({ reason: error.message }, 'the metrics cannot be served'));
}

/** A worker that starts before the servers waits for them. */
async function until(check: () => Promise<unknown>, waiting: string): Promise<void> {
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      logger.warn({ reason: reasonOf(error) }, waiting);
    }
    await sleep(askAgainMs);
  }
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, 'the worker stopped');
  process.exit(1);
});
