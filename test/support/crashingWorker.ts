import { randomUUID } from 'node:crypto';
import { createActivities } from '../../activities';
import { cardProvider } from '../../src/adapters/cardProviders';
import { type KnownCharge } from '../../src/adapters/cardProviders/knownCharges';
import { type ChargeRequest } from '../../src/adapters/cardProviders/provider';
import { type RefundRequest } from '../../src/adapters/cardProviders/refunds';
import { openDataKey } from '../../src/adapters/dataKey';
import { startTracing } from '../../src/adapters/tracing';
import { config } from '../../src/config';
import { startWorker } from '../../workers/worker';
import { sayReady } from './childProcess';
import { crashAround, type CrashPoint, type CrashStep } from './crashPoints';
import { installQuietRuntime } from './quietRuntime';

const point = process.env['CRASH_AT'] as CrashPoint | undefined;
const nth = Number(process.env['CRASH_AT_TIME'] ?? 1);

/**
 * The worker as it is, except that it kills itself at the point `CRASH_AT`, when it comes there
 * for the time `CRASH_AT_TIME` (1). With `RANDOM_KEYS` it has a bug besides: each
 * attempt to charge has a key of its own.
 */
async function main(): Promise<void> {
  installQuietRuntime();
  wrapProvider();
  startTracing('paywall-worker');
  await openDataKey();
  const activities = Object.entries(createActivities()).map(([name, activity]) => [
    name,
    crashAround(point, name as CrashStep, activity as (...input: unknown[]) => Promise<unknown>, nth),
  ]);
  await startWorker({
    address: config.TEMPORAL_ADDRESS,
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: config.TEMPORAL_TASK_QUEUE,
    workflowBundle: config.WORKFLOW_BUNDLE ?? '',
    activities: Object.fromEntries(activities) as object,
  });
  sayReady();
}

function wrapProvider(): void {
  const provider = { ...cardProvider };
  const bug = () => (process.env['RANDOM_KEYS'] === undefined ? '' : `:${randomUUID()}`);
  const charge = (request: ChargeRequest) =>
    provider.charge({ ...request, idempotencyKey: `${request.idempotencyKey}${bug()}` });
  cardProvider.charge = crashAround(point, 'provider.charge', charge);
  cardProvider.lookUpCharge = crashAround(point, 'provider.lookUpCharge', (key: string, known?: KnownCharge) =>
    provider.lookUpCharge(key, known),
  );
  cardProvider.forgetCustomer = crashAround(
    point,
    'provider.forgetCustomer',
    (...of: Parameters<typeof provider.forgetCustomer>) => provider.forgetCustomer(...of),
  );
  cardProvider.voidCharge = crashAround(point, 'provider.voidCharge', (key: string, known?: KnownCharge) =>
    provider.voidCharge(key, known),
  );
  cardProvider.refund = crashAround(point, 'provider.refund', (request: RefundRequest) => provider.refund(request));
  cardProvider.lookUpRefund = crashAround(point, 'provider.lookUpRefund', (request: RefundRequest) =>
    provider.lookUpRefund(request),
  );
}

void main();
