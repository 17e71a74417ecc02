// Gives the service a new signing key: `npm run keys:rotate [file]`, or in Docker
// `docker compose run --rm secrets node /deploy/rotate-keys.mjs /secrets/app/jwt-keys`. Running processes look at the
// file every second. The new key signs a minute later, when all of them know it, so no valid token is ever refused.
// With `--at-once`, for a key that others may know, the new key replaces all others: every token of an old key is
// refused within seconds, and clients use their refresh tokens. The file may be missing then.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const headStartSeconds = 60;
/** A token lives 30 days. */
const keepSeconds = 31 * 86_400;
const atOnce = '--at-once';

const input = process.argv.slice(2);
const file =
  input.find((word) => word !== atOnce) ??
  (process.env.JWT_KEYS_FILE || path.join(process.env.DATA_DIR || '.data', 'jwt-keys.json'));
const now = Math.floor(Date.now() / 1000);
const old = input.includes(atOnce) ? [] : JSON.parse(readFileSync(file, 'utf8'));
const keys = input.includes(atOnce) ? [newKey(now)] : [newKey(now + headStartSeconds), ...old.filter(isNeeded)];
// Renamed when complete, so that no process ever reads half of it.
const mode = existsSync(file) ? statSync(file).mode & 0o777 : 0o600;
writeFileSync(`${file}.new`, `${JSON.stringify(keys)}\n`, { mode });
renameSync(`${file}.new`, file);
console.log(
  input.includes(atOnce)
    ? `${keys[0].kid} signs now, and is the only key`
    : `${keys[0].kid} signs in a minute; ${keys.length - 1} older key(s) go on verifying`,
);

/** A key signs until the one before it begins, and is needed as long as a token of it may live. */
function isNeeded(_key, index) {
  return index === 0 || (old[index - 1].signs_from ?? now) + keepSeconds > now;
}

function newKey(signsFrom) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = privateKey.export({ format: 'jwk' });
  return { kid: randomUUID(), alg: 'ES256', use: 'sig', signs_from: signsFrom, ...jwk };
}
