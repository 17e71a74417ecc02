import * as outbox from '../../src/adapters/outbox';
import { RequestWork } from '../../src/adapters/postgres/requestWork';
import * as temporal from '../../src/adapters/temporal';
import { sayReady } from './childProcess';
import { crash } from './crashPoints';

/** Where an API process can die: between a purchase and its workflow, and during a request with a key. */
export type ApiCrashPoint =
  'beforeCommit' | 'afterCommit' | 'afterStart' | 'beforeKeyedCommit' | 'afterKeyedCommit' | 'beforeKeyedAnswer';

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
  beforeKeyedCommit: () => dyingIn('commit', 'before'),
  afterKeyedCommit: () => dyingIn('commit', 'after'),
  beforeKeyedAnswer: () => dyingIn('runAfterwards', 'after'),
};

function dyingIn(step: 'commit' | 'runAfterwards', when: 'before' | 'after'): void {
  const { prototype } = RequestWork;
  const run = Object.getOwnPropertyDescriptor(prototype, step)?.value as (this: RequestWork) => Promise<void>;
  prototype[step] = async function () {
    if (when === 'before') await crash();
    await run.call(this);
    await crash();
  };
}

/** The API as it is, except that it kills itself at the point `CRASH_AT`. It listens on `PORT`. */
async function main(): Promise<void> {
  const point = process.env['CRASH_AT'] as ApiCrashPoint | undefined;
  if (point !== undefined) wrapped[point]();
  await import('../../src/main.js');
  sayReady();
}

void main();
