import { join, resolve } from 'node:path';
import { z } from 'zod';
import { config } from '../../src/config';

const port = (fallback: number) => z.coerce.number().int().min(1).max(65_535).default(fallback);

const LauncherEnvironment = z.object({
  DATA_DIR: z.string().default('.data'),
  DATABASE_PORT: port(5433),
  TEMPORAL_PORT: port(7233),
  TEMPORAL_UI_PORT: port(8233),
  STORE_SIMULATOR_PORT: port(config.PORT + 10),
  PAYMENT_SIMULATOR_PORT: port(config.PORT + 11),
  STORE_SIMULATOR: z.enum(['on', 'off']).default('on'),
});

/** If one of these is set, the launcher does not start the simulated stores. */
const storeAddresses = ['APPLE_API_BASE', 'GOOGLE_API_BASE', 'AMAZON_API_BASE', 'ROKU_API_BASE'];

/** Settings for the launcher only: the folders and the ports of the parts that it starts. */
export interface LauncherSettings {
  root: string;
  dataFolder: string;
  databasePort: number;
  temporalPort: number;
  temporalUiPort: number;
  /** Undefined: the launcher starts a Temporal server. */
  temporalAddress: string | undefined;
  databaseUrl: string | undefined;
  /** Undefined: purchases are checked at the real app stores. */
  storeSimulatorPort: number | undefined;
  /** Undefined: no sandbox, or the environment names its address. */
  paymentSimulatorPort: number | undefined;
  /** The address of the API on this machine, which may differ from BASE_URL. */
  apiUrl: string;
  logFile(part: string): string;
}

export function readSettings(environment: NodeJS.ProcessEnv): LauncherSettings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = LauncherEnvironment.safeParse(given);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  }
  const { DATA_DIR, DATABASE_PORT, TEMPORAL_PORT, TEMPORAL_UI_PORT } = parsed.data;
  const { STORE_SIMULATOR_PORT, STORE_SIMULATOR, PAYMENT_SIMULATOR_PORT } = parsed.data;
  const isSimulated =
    STORE_SIMULATOR === 'on' && config.ENVIRONMENT === 'test' && !storeAddresses.some((name) => name in given);
  const isSandboxHere = config.CARD_PROVIDER === 'sandbox' && !('SANDBOX_API_BASE' in given);
  const root = resolve(__dirname, '..', '..', '..');
  const dataFolder = resolve(root, DATA_DIR);
  const host = config.HOST === '0.0.0.0' || config.HOST === '::' ? '127.0.0.1' : config.HOST;
  return {
    root,
    dataFolder,
    databasePort: DATABASE_PORT,
    temporalPort: TEMPORAL_PORT,
    temporalUiPort: TEMPORAL_UI_PORT,
    temporalAddress: given['TEMPORAL_ADDRESS'],
    databaseUrl: given['DATABASE_URL'] ?? (given['DATABASE_URL_FILE'] ? config.DATABASE_URL : undefined),
    storeSimulatorPort: isSimulated ? STORE_SIMULATOR_PORT : undefined,
    paymentSimulatorPort: isSandboxHere ? PAYMENT_SIMULATOR_PORT : undefined,
    apiUrl: `http://${host}:${config.PORT}`,
    logFile: (part) => join(dataFolder, 'logs', `${part}.log`),
  };
}
