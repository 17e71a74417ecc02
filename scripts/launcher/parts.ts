import { join } from 'node:path';
import { startPostgres } from '../../src/adapters/embedded/postgres';
import { startTemporal } from '../../src/adapters/embedded/temporal';
import { config } from '../../src/config';
import { type Demo, findOrCreateDemo } from './demoMerchant';
import { startApi, startWorker } from './programs';
import { ensureSecrets } from './secrets';
import { type LauncherSettings } from './settings';
import { type Supervisor } from './supervisor';
import { messageOf, say } from './words';

export interface RunningParts {
  demo: Demo | undefined;
  temporalUiUrl: string | undefined;
  logFolder: string;
}

/** PostgreSQL and Temporal, unless the environment names others; then the API, which brings the schema; then the worker. */
export async function startParts(supervisor: Supervisor, settings: LauncherSettings): Promise<RunningParts> {
  const [databaseUrl, temporalAddress] = await Promise.all([
    settings.databaseUrl ?? startDatabase(supervisor, settings),
    settings.temporalAddress ?? startWorkflowServer(supervisor, settings),
  ]);
  const ownUi = settings.temporalAddress === undefined ? `http://127.0.0.1:${settings.temporalUiPort}` : undefined;
  const temporalUiUrl = config.TEMPORAL_UI_URL ?? ownUi;
  const env = {
    ...process.env,
    ...ensureSecrets(settings.dataFolder, process.env),
    ...(temporalUiUrl === undefined ? {} : { TEMPORAL_UI_URL: temporalUiUrl }),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
  };
  const program = { processes: supervisor.processes, settings, env };
  await supervisor.keep('API', () => startApi(program));
  await supervisor.keep('Worker', () => startWorker(program));
  const demo = await findDemo(settings, databaseUrl);
  return { demo, temporalUiUrl, logFolder: join(settings.dataFolder, 'logs') };
}

async function startDatabase(supervisor: Supervisor, settings: LauncherSettings): Promise<string> {
  const { processes } = supervisor;
  const dataFolder = join(settings.dataFolder, 'postgres');
  const logFile = settings.logFile('postgres');
  const begin = () => startPostgres({ dataFolder, port: settings.databasePort, logFile, processes });
  return (await supervisor.keep('PostgreSQL', begin)).url;
}

async function startWorkflowServer(supervisor: Supervisor, settings: LauncherSettings): Promise<string> {
  const { processes } = supervisor;
  const begin = () =>
    startTemporal({
      port: settings.temporalPort,
      uiPort: settings.temporalUiPort,
      databaseFile: join(settings.dataFolder, 'temporal.db'),
      logFile: settings.logFile('temporal'),
      processes,
      say,
    });
  return (await supervisor.keep('Temporal', begin)).address;
}

/** The demo is a convenience: without it the service runs all the same. */
async function findDemo(settings: LauncherSettings, databaseUrl: string): Promise<Demo | undefined> {
  if (config.ENVIRONMENT === 'production') return undefined;
  const file = join(settings.dataFolder, 'demo.json');
  try {
    return await findOrCreateDemo({ apiUrl: settings.apiUrl, databaseUrl, file });
  } catch (error) {
    say(`There is no demo merchant: ${messageOf(error)}`);
    return undefined;
  }
}
