import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { findFreePort } from '../embedded/ports';

/**
 * Settings of a service that only one program uses: servers, ports and keys of its own, and no rate limits. A running
 * `npm start` is not needed and not disturbed.
 */
export async function ownSettings(folder: string): Promise<Record<string, string>> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const unlimited = String(1e9);
  const paymentPort = String(await findFreePort());
  return {
    ENVIRONMENT: 'test',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(await findFreePort()),
    METRICS_PORT: String(await findFreePort()),
    WORKER_METRICS_PORT: '0',
    BASE_URL: 'http://localhost',
    DATA_DIR: folder,
    DATABASE_URL: '',
    TEMPORAL_ADDRESS: '',
    PAYMENT_SIMULATOR_PORT: paymentPort,
    PAYMENT_SIMULATOR_FOLDER: join(folder, 'payment-simulator'),
    SANDBOX_API_BASE: `http://127.0.0.1:${paymentPort}`,
    SANDBOX_KEY: 'sandbox',
    JWT_KEYS: JSON.stringify([{ kid: 'own', ...privateKey.export({ format: 'jwk' }) }]),
    ENCRYPTION_KEY: process.env['ENCRYPTION_KEY'] ?? randomBytes(32).toString('base64'),
    RATE_LIMIT_CREDENTIALS: unlimited,
    RATE_LIMIT_SIGN_INS: unlimited,
    RATE_LIMIT_REGISTRATIONS: unlimited,
    SOCKETS_PER_ACCOUNT: unlimited,
    SOCKETS_PER_ADDRESS: unlimited,
    RATE_LIMIT_NORMAL: unlimited,
    RATE_LIMIT_ANONYMOUS: unlimited,
    RATE_LIMIT_FAILURES: unlimited,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'warn',
  };
}
