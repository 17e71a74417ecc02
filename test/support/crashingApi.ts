import * as outbox from '../../src/adapters/outbox';
import * as temporal from '../../src/adapters/temporal';
import { sayReady } from './childProcess';
import { crash } from './crashPoints';

/** Where an API process can die between a purchase and its workflow. */
export type ApiCrashPoint = 'beforeCommit' | 'afterCommit' | 'afterStart';

const wrapped: Record<ApiCrashPoint, () => void> = {
  beforeCommit: () => {
    const { enqueue } = { ...outbox };
    Object.assign(outbox, { enqueue: (...input: Parameters<typeof enqueue>) => enqueue(...input).then(crash) });
  },
  afterCommit: () => void Object.assign(outbox, { sendNow: crash }),
  afterStart: () => {
    const { startWorkflow } = { ...temporal };
    Object.assign(temporal, {
      startWorkflow: (...input: Parameters<typeof startWorkflow>) => startWorkflow(...input).then(crash),
    });
  },
};

/** The API as it is, except that it kills itself at the point `CRASH_AT`. It listens on `PORT`. */
async function main(): Promise<void> {
  const point = process.env['CRASH_AT'] as ApiCrashPoint | undefined;
  if (point !== undefined) wrapped[point]();
  await import('../../src/main.js');
  sayReady();
}

void main();
