// Makes what no file of the repository may hold: passwords and keys, once, into volumes. Run by docker-compose.yml
// before everything else; a secret that exists is kept, so a second run changes nothing. To bring your own, write it
// to the volume first.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = process.argv[2] ?? '/secrets';

const password = () => randomBytes(24).toString('base64url');

const ownerPassword = keep('postgres/paywall-password', password);
const appPassword = keep('postgres/paywall_app-password', password);
const temporalPassword = keep('postgres/temporal-password', password);
keep('postgres/postgres-password', password);
keep('temporal/password', () => temporalPassword);
// The owner of the tables applies migrations. API and worker run as a role that cannot change the audit log.
keep('owner/database-url', () => `postgres://paywall:${ownerPassword}@postgres:5432/paywall`);
keep('app/database-url', () => `postgres://paywall_app:${appPassword}@postgres:5432/paywall`);
keep('app/encryption-key', () => randomBytes(32).toString('base64'));
keep('app/operator-token', () => randomBytes(32).toString('base64url'));
keep('app/jwt-keys', () => JSON.stringify([signingKey()]));

/** A private P-256 key as a JWK, with the name that tokens carry in their header. */
function signingKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid: randomUUID() };
}

/** Written whole or not at all: a kill between the two steps leaves no half secret under its name. */
function keep(name, make) {
  const file = path.join(root, name);
  if (!existsSync(file)) {
    // Readable by every user: each container has its own, and each volume goes to one kind of container only.
    writeFileSync(`${file}.new`, make(), { mode: 0o444 });
    renameSync(`${file}.new`, file);
    console.log(`made ${name}`);
  }
  return readFileSync(file, 'utf8');
}
