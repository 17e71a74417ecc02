import { createRequire } from 'node:module';

/**
 * A password is hashed once in a process, and a hash is compared with it once. Argon2 is slow on purpose, and the tests
 * give thousands of accounts the same few passwords. The hashes are real ones. A file that is about hashing imports
 * `everyHash`: there each call computes.
 */
const argon2 = createRequire(import.meta.url)('@node-rs/argon2');

export function rememberHashes() {
  argon2.hash = remember(argon2.hash);
  argon2.verify = remember(argon2.verify);
}

function remember(compute) {
  const known = new Map();
  return (...input) => {
    if (process.env.TEST_EVERY_HASH !== undefined) return compute(...input);
    const key = JSON.stringify(input);
    const found = known.get(key) ?? compute(...input);
    known.set(key, found);
    return found;
  };
}
