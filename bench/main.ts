import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../scripts/embedded/ports';
import { ProcessGroup } from '../scripts/embedded/processes';
import { benchFolderOf } from './folder';

const stuckAfterMs = 15 * 60_000;

/**
 * `npm run bench`: compares the service with bare programs that do only the unavoidable work, in the same run. `npm run
 * bench access recovery` measures only these parts.
 */
async function main(): Promise<void> {
  if (process.platform !== 'linux')
    throw new Error('Memory and processor time are read from /proc: run this on Linux.');
  const folder = await mkdtemp(join(tmpdir(), 'paywall-bench-'));
  // PostgreSQL may run under another account than this program.
  await chmod(folder, 0o755);
  const processes = new ProcessGroup({ removeFolder: folder });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= processes.stopAll().then(() => rm(folder, { recursive: true, force: true })));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stop().then(() => process.exit(1)));
  const watch = setTimeout(() => {
    console.error(`Not done after ${stuckAfterMs / 60_000} minutes.`);
    void stop().then(() => process.exit(1));
  }, stuckAfterMs);
  try {
    const benchFolder = benchFolderOf(process.env);
    Object.assign(process.env, await settings(folder));
    // The settings are read when the product is first imported, so the imports follow here.
    const { bench, partNames } = await import('./bench.js');
    const names = process.argv.slice(2);
    if (names.some((name) => !partNames.includes(name)))
      throw new Error(`Name some of ${partNames.join(', ')}, or none.`);
    const { table, failed } = await bench(names, folder, benchFolder, processes);
    console.log(table);
    if (failed.length > 0) throw new Error(`Not measured: ${failed.join(', ')}.`);
  } finally {
    clearTimeout(watch);
    await stop();
  }
}

/** Servers, ports and keys of its own, so that a running `npm start` is not needed and not disturbed. */
async function settings(folder: string): Promise<Record<string, string>> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const unlimited = String(1e9);
  return {
    ENVIRONMENT: 'test',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(await findFreePort()),
    METRICS_PORT: String(await findFreePort()),
    WORKER_METRICS_PORT: '0',
    BASE_URL: 'http://bench.test',
    DATA_DIR: folder,
    DATABASE_URL: '',
    TEMPORAL_ADDRESS: '',
    JWT_KEYS: JSON.stringify([{ kid: 'bench', ...privateKey.export({ format: 'jwk' }) }]),
    ENCRYPTION_KEY: process.env['ENCRYPTION_KEY'] ?? randomBytes(32).toString('base64'),
    RATE_LIMIT_CREDENTIALS: unlimited,
    RATE_LIMIT_SIGN_INS: unlimited,
    RATE_LIMIT_REGISTRATIONS: unlimited,
    SOCKETS_PER_ACCOUNT: unlimited,
    SOCKETS_PER_ADDRESS: unlimited,
    RATE_LIMIT_NORMAL: unlimited,
    RATE_LIMIT_FAILURES: unlimited,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'warn',
  };
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
