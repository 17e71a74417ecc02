import '../support/generatedSettings';
import { size } from '../support/size';
import { startApp, type TestApp } from '../support/startApp';
import { agent } from './exchange';
import { describeFault, fuzz } from './fuzzer';

/** `npm run fuzz` sets these. */
const { FUZZ_SEED, FUZZ_REQUESTS, FUZZ_BATCH } = process.env;
const seed = Number(FUZZ_SEED ?? 7);
const requests = Number(FUZZ_REQUESTS ?? size({ usual: 2_000, full: 20_000 }));
const longestMs = 24 * 3_600_000;

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(async () => {
  agent.destroy();
  await app.stop();
});

test(
  'no request is answered with a server error, and no connection breaks',
  async () => {
    const tell = FUZZ_REQUESTS === undefined ? undefined : (line: string) => process.stderr.write(`${line}\n`);
    const batch = FUZZ_BATCH === undefined ? undefined : Number(FUZZ_BATCH);
    const outcome = await fuzz(app, { seed, requests, batch, ...(tell && { tell }) });
    tell?.(
      `seed ${seed}: ${outcome.requests} requests to ${outcome.targets} endpoints and pages: ${JSON.stringify(outcome.statuses)}`,
    );
    expect(outcome.faults.map((fault) => describeFault(seed, fault))).toEqual([]);
    expect(outcome.statuses['200']).toBeGreaterThan(0);
  },
  longestMs,
);
