import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { startApi, startPaymentSimulator, startWorker } from '../scripts/launcher/programs';
import { readSettings } from '../scripts/launcher/settings';
import { findFreePort } from '../scripts/embedded/ports';
import { type ProcessGroup, type Running, lastLines } from '../scripts/embedded/processes';
import { startTemporal } from '../scripts/embedded/temporal';
import { bareTaskQueue } from './bare/names';
import { withDatabase } from './database';
import { type Seeded } from './seed';
import { type BenchPostgres } from './server';

export interface Product {
  apiPort: number;
  apiPid: number;
  workerPid: number;
  databaseUrl: string;
  temporalAddress: string;
  temporalPid: number;
  /** Starts an additional worker. */
  startWorker: () => Promise<Running>;
  /** Starts the API again after it was killed, and waits until it is ready. */
  startApi: () => Promise<Running>;
}

/** The input of a measurement of the product. */
export interface Setting {
  product: Product;
  seeded: Seeded;
  tell: (what: string) => void;
}

export interface BareParts {
  endpointPort: number;
  endpointPid: number;
}

/**
 * Starts the product like `npm start` does, with the same durable servers, and with a role that is not the owner of the
 * tables: policies do not apply to the owner.
 */
export async function startProduct(
  { url: databaseUrl, runtimeUrl }: BenchPostgres,
  processes: ProcessGroup,
): Promise<Product> {
  const settings = readSettings(process.env);
  const temporal = await startTemporal({
    port: await findFreePort(),
    databaseFile: join(settings.dataFolder, 'temporal.db'),
    logFile: settings.logFile('temporal'),
    processes,
    say: console.log,
  });
  const env = {
    ...process.env,
    DATABASE_URL: withDatabase(runtimeUrl, new URL(databaseUrl).pathname.slice(1)),
    MIGRATION_DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
  };
  await startPaymentSimulator({ processes, settings, env }, process.env['SANDBOX_API_BASE'] ?? '');
  const api = await startApi({ processes, settings, env });
  const worker = await startWorker({ processes, settings, env });
  return {
    apiPort: Number(process.env['PORT']),
    apiPid: api.pid,
    workerPid: worker.pid,
    databaseUrl,
    temporalAddress: temporal.address,
    temporalPid: temporal.pid,
    startWorker: () => startWorker({ processes, settings, env }),
    startApi: () => startApi({ processes, settings, env }),
  };
}

/**
 * Starts the bare programs to compare with: on the same servers, with the same Node flags, each in a process of its
 * own.
 */
export async function startBareParts(
  folder: string,
  processes: ProcessGroup,
  { databaseUrl, temporalAddress }: Product,
): Promise<BareParts> {
  const endpointPort = await findFreePort();
  const workflowBundle = join(folder, 'bare-bundle.js');
  const workflowsPath = join(__dirname, 'bare', 'workflows.js');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('WARN') });
  await writeFile(workflowBundle, code);
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_TASK_QUEUE: bareTaskQueue,
    WORKFLOW_BUNDLE: workflowBundle,
    PORT: String(endpointPort),
  };
  const start = (name: string) => {
    const logFile = join(folder, `${name}.log`);
    return processes.start(name, process.execPath, [join(__dirname, 'bare', `${name}.js`)], {
      stopRank: 1,
      logFile,
      env,
    });
  };
  const [endpoint] = await Promise.all([start('endpoint'), start('worker')]);
  for (const deadline = Date.now() + 10_000; ; await sleep(50)) {
    const answers = await fetch(`http://127.0.0.1:${endpointPort}/accesses/0`).catch(() => undefined);
    if (answers) return { endpointPort, endpointPid: endpoint.pid };
    if (Date.now() > deadline)
      throw new Error(`The bare endpoint does not answer\n${lastLines(join(folder, 'endpoint.log'))}`);
  }
}
