import { createRequire } from 'node:module';

/**
 * A password is hashed once in a process, and a hash is compared with it once. Argon2 is slow on purpose, and the tests
 * give thousands of accounts the same few passwords. The hashes are real ones. A file that is about hashing imports
 * `everyHash`: there each call computes.
 */
const require = createRequire(import.meta.url);
const argon2 = require('@node-rs/argon2');

export function rememberHashes() {
  argon2.hash = remember(argon2.hash);
  argon2.verify = remember(argon2.verify);
}

/** The dictionaries of the estimator of passwords are the same in every test file. They are prepared once in a process. */
export function rememberEstimator() {
  const library = require('@zxcvbn-ts/core');
  const { ZxcvbnFactory } = library;
  let known;
  library.ZxcvbnFactory = function (options) {
    return (known ??= new ZxcvbnFactory(options));
  };
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
