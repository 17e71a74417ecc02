import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** `npm run fuzz -- --seed 7 --requests 200000`. Ends with 1 if a request finds a server error or a broken connection. */
const { values } = parseArgs({
  options: { seed: { type: 'string' }, requests: { type: 'string' }, batch: { type: 'string' } },
});
const { seed = String(randomInt(2 ** 31 - 1)), batch, requests = batch === undefined ? '10000' : '20' } = values;
for (const [name, value] of Object.entries({ seed, requests, batch: batch ?? '0' }))
  if (!/^\d{1,10}$/.test(value)) throw new Error(`--${name} must be a whole number, and is ${value}.`);
const environment = { FUZZ_SEED: seed, FUZZ_REQUESTS: requests, ...(batch !== undefined && { FUZZ_BATCH: batch }) };
const { status } = spawnSync(process.execPath, ['node_modules/jest/bin/jest.js', '-w', '1', 'test/fuzz/fuzz'], {
  stdio: 'inherit',
  env: { ...process.env, ...environment },
});
process.exitCode = status ?? 1;
