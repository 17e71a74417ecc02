import { join, resolve } from 'node:path';
import { z } from 'zod';
import { startStoreProgram } from './storeSimulator/program';

const Environment = z.object({
  STORE_SIMULATOR_PORT: z.coerce.number().int().min(1).max(65_535).default(8090),
  STORE_SIMULATOR_ROOTS: z.string().default(join(resolve(__dirname, '..', '..'), '.data', 'store-simulator-root.pem')),
  BASE_URL: z.url().optional(),
  PORT: z.coerce.number().int().default(8080),
});

/** `npm run store-simulator`: the four app stores on this machine, until ctrl-C. */
async function main(): Promise<void> {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
  const { STORE_SIMULATOR_PORT: port, STORE_SIMULATOR_ROOTS: rootsFile, BASE_URL, PORT } = Environment.parse(given);
  const paywall = (BASE_URL ?? `http://127.0.0.1:${PORT}`).replace(/\/$/, '');
  const stores = await startStoreProgram({ port, rootsFile, paywall });
  console.log(
    `The App Store, Google Play, the Amazon Appstore and the Roku Channel Store are at ${stores.simulator.url}`,
  );
  console.log(`They send notifications to ${paywall}. It uses them if it runs with:\n`);
  for (const [name, value] of Object.entries(stores.environment)) console.log(`export ${name}=${value}`);
  const stop = () => void stores.stop().then(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
