import { findFreePort } from '../embedded/ports';
import { type ProcessGroup, type Running, lastLines } from '../embedded/processes';
import { untilReady } from '../embedded/readiness';
import { config } from '../../src/config';
import { type LauncherSettings } from './settings';

const readyWithinMs = 60_000;
const drainWithinMs = 35_000;

/**
 * Settings of the C library. By default it gives each thread of a program memory of its own, and it keeps more freed
 * memory after each large block.
 */
const lean = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

interface SimulatorOptions {
  processes: ProcessGroup;
  settings: LauncherSettings;
  env: NodeJS.ProcessEnv;
  /** How much of its priority the program gives up. */
  niceness?: number;
}

export interface ProgramOptions extends SimulatorOptions {
  env: NodeJS.ProcessEnv & { TEMPORAL_ADDRESS: string };
}

/** Starts the API and waits until it is ready, including database, migrations and Temporal. */
export function startApi(options: ProgramOptions): Promise<Running> {
  const isReady = async () => {
    const answer = await fetch(`${options.settings.apiUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) });
    await answer.text();
    return answer.ok;
  };
  return startProgram(options, { name: 'API', script: 'dist/src/main.js', stopRank: 1, isReady });
}

/**
 * Starts the simulated app stores and waits until they answer. The API starts after them, because it reads their
 * certificate.
 */
export function startStoreSimulator(options: SimulatorOptions, url: string): Promise<Running> {
  const isReady = async () => {
    const answer = await fetch(`${url}/simulator/clock`, { signal: AbortSignal.timeout(5_000) });
    await answer.text();
    return answer.ok;
  };
  return startProgram(options, {
    name: 'Store simulator',
    script: 'dist/scripts/storeSimulator.js',
    stopRank: 3,
    isReady,
  });
}

/** Starts the payment provider of the test environment and waits until it answers. */
export function startPaymentSimulator(options: SimulatorOptions, url: string): Promise<Running> {
  const isReady = async () => {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) });
    await answer.text();
    return answer.ok;
  };
  return startProgram(options, {
    name: 'Payment simulator',
    script: 'dist/scripts/paymentSimulator.js',
    stopRank: 3,
    isReady,
  });
}

/** Starts the worker and waits until it is ready: it polls, and database and Temporal answer. */
export async function startWorker(options: ProgramOptions): Promise<Running> {
  const port = config.WORKER_HEALTH_PORT || (await findFreePort());
  const { hostname } = new URL(options.settings.apiUrl);
  const isReady = async () => {
    const url = `http://${hostname}:${port}/health/ready`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await answer.text();
    return answer.ok;
  };
  const own = { ...options, env: { ...options.env, WORKER_HEALTH_PORT: String(port) } };
  return startProgram(own, { name: 'Worker', script: 'dist/workers/main.js', stopRank: 2, isReady });
}

interface Program {
  name: string;
  script: string;
  stopRank: number;
  isReady: () => Promise<boolean>;
}

async function startProgram(given: SimulatorOptions, program: Program): Promise<Running> {
  const { processes, settings, env, niceness } = given;
  const { name, script, stopRank, isReady } = program;
  const logFile = settings.logFile(name.toLowerCase().replace(' ', '-'));
  const options = {
    ...{ stopRank, stopWithinMs: drainWithinMs, cwd: settings.root, env: { ...lean, ...env }, logFile },
    ...(niceness !== undefined && { niceness }),
  };
  const running = await processes.start(name, process.execPath, [script], options);
  try {
    await untilReady(running, isReady, readyWithinMs);
    return running;
  } catch (error) {
    await running.stop();
    const { message: reason } = error as Error;
    throw new Error(`${name}: ${reason}\n${lastLines(logFile)}\n(more in ${logFile})`);
  }
}
