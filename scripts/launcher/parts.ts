import { join } from 'node:path';
import { startPostgres } from '../embedded/postgres';
import { startTemporal } from '../embedded/temporal';
import { config } from '../../src/config';
import { isLoopback } from '../../src/kit/settings';
import { storeSettings } from '../storeSimulator/settings';
import { type Demo, findOrCreateDemo } from './demoMerchant';
import { startApi, startPaymentSimulator, startStoreSimulator, startWorker } from './programs';
import { ensureSecrets } from './secrets';
import { type LauncherSettings } from './settings';
import { type Supervisor } from './supervisor';
import { messageOf, say } from './words';

export interface RunningParts {
  demo: Demo | undefined;
  temporalUiUrl: string | undefined;
  storeSimulatorUrl: string | undefined;
  paymentSimulatorUrl: string | undefined;
  logFolder: string;
}

/**
 * Starts PostgreSQL, Temporal and the simulators together, unless the environment names others; then the API, which
 * migrates the schema; then the worker.
 */
export async function startParts(supervisor: Supervisor, settings: LauncherSettings): Promise<RunningParts> {
  const [database, temporalAddress, stores, payments] = await Promise.all([
    findDatabase(supervisor, settings),
    settings.temporalAddress ?? startWorkflowServer(supervisor, settings),
    startStores(supervisor, settings),
    startPayments(supervisor, settings),
  ]);
  const ownUi = settings.temporalAddress === undefined ? `http://127.0.0.1:${settings.temporalUiPort}` : undefined;
  const temporalUiUrl = config.TEMPORAL_UI_URL ?? ownUi;
  const env = {
    ...process.env,
    ...ensureSecrets(settings.dataFolder, process.env),
    ...(temporalUiUrl === undefined ? {} : { TEMPORAL_UI_URL: temporalUiUrl }),
    ...database,
    TEMPORAL_ADDRESS: temporalAddress,
  };
  const program = { processes: supervisor.processes, settings, env: { ...env, ...stores?.env, ...payments?.env } };
  await supervisor.keep('API', () => startApi(program));
  await supervisor.keep('Worker', () => startWorker(program));
  const demo = await findDemo(settings, database.DATABASE_URL);
  const addresses = { temporalUiUrl, storeSimulatorUrl: stores?.url, paymentSimulatorUrl: payments?.url };
  return { demo, ...addresses, logFolder: join(settings.dataFolder, 'logs') };
}

/** Starts the simulated app stores, unless the environment names store addresses. `env` makes the API use them. */
async function startStores(
  supervisor: Supervisor,
  settings: LauncherSettings,
): Promise<{ url: string; env: Record<string, string> } | undefined> {
  const port = settings.storeSimulatorPort;
  if (port === undefined) return undefined;
  const url = `http://127.0.0.1:${port}`;
  const STORE_SIMULATOR_ROOTS = join(settings.dataFolder, 'store-simulator-root.pem');
  const own = { ...process.env, BASE_URL: settings.apiUrl, STORE_SIMULATOR_PORT: String(port), STORE_SIMULATOR_ROOTS };
  const { processes } = supervisor;
  await supervisor.keep('Store simulator', () => startStoreSimulator({ processes, settings, env: own }, url));
  return { url, env: storeSettings(url, STORE_SIMULATOR_ROOTS) };
}

/** Starts the payment provider of the test environment, unless the environment names another address. */
async function startPayments(
  supervisor: Supervisor,
  settings: LauncherSettings,
): Promise<{ url: string; env: Record<string, string> } | undefined> {
  const port = settings.paymentSimulatorPort;
  if (port === undefined) return undefined;
  const { processes } = supervisor;
  const url = `http://127.0.0.1:${port}`;
  const own = {
    ...process.env,
    PAYMENT_SIMULATOR_PORT: String(port),
    PAYMENT_SIMULATOR_FOLDER: join(settings.dataFolder, 'payment-simulator'),
    PAYMENT_SIMULATOR_NOTIFY_URL: `${settings.apiUrl}/payments/sandbox/notifications`,
  };
  await supervisor.keep('Payment simulator', () => startPaymentSimulator({ processes, settings, env: own }, url));
  // Only browsers of this machine reach the sandbox, and a page by https does not load its script.
  const isReached = isLoopback(config.HOST) && !settings.apiUrl.startsWith('https:');
  return { url, env: { SANDBOX_API_BASE: url, ...(isReached && { SANDBOX_FORM_BASE: url }) } };
}

interface DatabaseSettings {
  DATABASE_URL: string;
  /** The owner of the tables, if the launcher has started the database. */
  MIGRATION_DATABASE_URL?: string;
}

async function findDatabase(supervisor: Supervisor, settings: LauncherSettings): Promise<DatabaseSettings> {
  if (settings.databaseUrl !== undefined) return { DATABASE_URL: settings.databaseUrl };
  const { processes } = supervisor;
  const dataFolder = join(settings.dataFolder, 'postgres');
  const logFile = settings.logFile('postgres');
  const begin = () => startPostgres({ dataFolder, port: settings.databasePort, logFile, processes });
  const { url, runtimeUrl } = await supervisor.keep('PostgreSQL', begin);
  return { DATABASE_URL: runtimeUrl, MIGRATION_DATABASE_URL: url };
}

async function startWorkflowServer(supervisor: Supervisor, settings: LauncherSettings): Promise<string> {
  const { processes } = supervisor;
  const begin = () =>
    startTemporal({
      port: settings.temporalPort,
      uiPort: settings.temporalUiPort,
      codecUrl: `${settings.apiUrl}/codec`,
      databaseFile: join(settings.dataFolder, 'temporal.db'),
      logFile: settings.logFile('temporal'),
      processes,
      say,
    });
  return (await supervisor.keep('Temporal', begin)).address;
}

/** The demo is optional: the service runs without it. */
async function findDemo(settings: LauncherSettings, databaseUrl: string): Promise<Demo | undefined> {
  if (config.ENVIRONMENT === 'production') return undefined;
  const file = join(settings.dataFolder, 'demo.json');
  try {
    return await findOrCreateDemo({ apiUrl: settings.apiUrl, databaseUrl, file });
  } catch (error) {
    say(`The demo merchant is missing: ${messageOf(error)}`);
    return undefined;
  }
}
