import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Creates the keys once, so that sessions and stored answers survive a restart. Keys that the environment sets are not
 * created.
 */
export function ensureSecrets(dataFolder: string, environment: NodeJS.ProcessEnv): Record<string, string> {
  const isGiven = (name: string) => Boolean(environment[name]) || Boolean(environment[`${name}_FILE`]);
  return {
    ...(isGiven('JWT_KEYS') ? {} : { JWT_KEYS_FILE: ensureFile(join(dataFolder, 'jwt-keys.json'), newSigningKeys) }),
    ...(isGiven('ENCRYPTION_KEY')
      ? {}
      : { ENCRYPTION_KEY_FILE: ensureFile(join(dataFolder, 'encryption-key'), newEncryptionKey) }),
  };
}

function newSigningKeys(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return JSON.stringify([{ kid: randomUUID(), alg: 'ES256', use: 'sig', ...privateKey.export({ format: 'jwk' }) }]);
}

function newEncryptionKey(): string {
  return randomBytes(32).toString('base64');
}

function ensureFile(path: string, makeContent: () => string): string {
  if (existsSync(path)) return path;
  // Renamed when complete, so that a launcher that is killed here does not leave half of a key.
  writeFileSync(`${path}.new`, `${makeContent()}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return path;
}
