import { randomUUID } from 'node:crypto';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createActivities, type Activities } from '../../activities';
import { cardProvider } from '../../src/adapters/cardProviders';
import { config } from '../../src/config';
import { startWorker } from '../../workers/worker';
import { sayReady } from './childProcess';
import { crashAround, type CrashPoint } from './crashPoints';

/**
 * The worker as it is, except that it kills itself at the point `CRASH_AT`. With `RANDOM_KEYS` it has a bug besides: each
 * attempt to charge has a key of its own.
 */
async function main(): Promise<void> {
  const point = process.env['CRASH_AT'] as CrashPoint | undefined;
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  if (process.env['RANDOM_KEYS'] !== undefined) forgetKeys();
  cardProvider.charge = crashAround(point, 'provider.charge', cardProvider.charge);
  cardProvider.lookUpCharge = crashAround(point, 'provider.lookUpCharge', cardProvider.lookUpCharge);
  const activities = Object.entries(createActivities()).map(([name, activity]) => [
    name,
    crashAround(point, name as keyof Activities, activity as (...input: unknown[]) => Promise<unknown>),
  ]);
  await startWorker({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    workflowBundle: config.WORKFLOW_BUNDLE ?? '',
    activities: Object.fromEntries(activities) as Activities,
  });
  sayReady();
}

function forgetKeys(): void {
  const { charge } = cardProvider;
  cardProvider.charge = (request) =>
    charge({ ...request, idempotencyKey: `${request.idempotencyKey}:${randomUUID()}` });
}

void main();
