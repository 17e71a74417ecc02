import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { type ProcessGroup, type Running, lastLines } from '../../src/adapters/embedded/processes';
import { config } from '../../src/config';
import { type LauncherSettings } from './settings';

const readyWithinMs = 60_000;
const drainWithinMs = 35_000;

/** Each thread of a program would else get memory of its own from the C library, and keep what it no longer needs. */
const lean = { MALLOC_ARENA_MAX: '2' };

/** Temporal's number for the queue of workflow tasks, as against the one of activities. */
const workflowTasks = 1;

export interface ProgramOptions {
  processes: ProcessGroup;
  settings: LauncherSettings;
  env: NodeJS.ProcessEnv & { TEMPORAL_ADDRESS: string };
}

/** The API, once it says that it is ready: database, migrations and Temporal included. */
export function startApi(options: ProgramOptions): Promise<Running> {
  const isReady = async () => {
    const answer = await fetch(`${options.settings.apiUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) });
    await answer.text();
    return answer.ok;
  };
  return startProgram(options, { name: 'API', script: 'dist/src/main.js', stopRank: 1, isReady });
}

/** The simulated app stores, once they answer; the API comes after them, since it reads their certificate. */
export function startStoreSimulator(options: ProgramOptions, url: string): Promise<Running> {
  const isReady = async () => {
    const answer = await fetch(`${url}/simulator/clock`, { signal: AbortSignal.timeout(5_000) });
    await answer.text();
    return answer.ok;
  };
  return startProgram(options, { name: 'Stores', script: 'dist/scripts/storeSimulator.js', stopRank: 3, isReady });
}

/** The worker, once Temporal hears it ask for tasks. */
export async function startWorker(options: ProgramOptions): Promise<Running> {
  const connection = Connection.lazy({ address: options.env.TEMPORAL_ADDRESS });
  const isReady = () => connection.withDeadline(Date.now() + 2_000, () => hasPollers(connection));
  try {
    return await startProgram(options, { name: 'Worker', script: 'dist/workers/main.js', stopRank: 2, isReady });
  } finally {
    await connection.close();
  }
}

async function hasPollers(connection: Connection): Promise<boolean> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace: config.TEMPORAL_NAMESPACE,
    taskQueue: { name: config.TEMPORAL_TASK_QUEUE },
    taskQueueType: workflowTasks,
  });
  return pollers.length > 0;
}

interface Program {
  name: string;
  script: string;
  stopRank: number;
  isReady: () => Promise<boolean>;
}

async function startProgram({ processes, settings, env }: ProgramOptions, program: Program): Promise<Running> {
  const { name, script, stopRank, isReady } = program;
  const logFile = settings.logFile(name.toLowerCase());
  const options = { stopRank, stopWithinMs: drainWithinMs, cwd: settings.root, env: { ...lean, ...env }, logFile };
  const running = await processes.start(name, process.execPath, [script], options);
  const fail = (reason: string) => new Error(`${name}: ${reason}\n${lastLines(logFile)}\n(more in ${logFile})`);
  let howItEnded: string | undefined;
  void running.ended.then((how) => (howItEnded = how));
  for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline; await sleep(50)) {
    if (howItEnded !== undefined) throw fail(howItEnded);
    if (await isReady().catch(() => false)) return running;
  }
  await running.stop();
  throw fail(`not ready within ${readyWithinMs / 1000} s`);
}
