import { randomInt } from 'node:crypto';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { type Lifetime } from './lifetime';
import { type Workflow } from './simulatedTemporal';
import { simulatedNow, workflowModule } from './workflowModule';

/**
 * `npm run lifetimes -- --seed 7 --count 10000`: simulates subscriptions from the purchase on, years in milliseconds, and
 * checks each. A failed lifetime is repeated with its own seed and `--count 1`. Ends with 1 if a rule is broken.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(randomInt(2 ** 31 - 1)) },
      count: { type: 'string', default: '10000' },
      history: { type: 'boolean', default: false },
    },
  });
  const [seed, count] = [countOf('seed', values.seed), countOf('count', values.count)];
  const { Lifetime, findViolations, workflow } = await loadWorkflow();
  const beganMs = performance.now();
  const totals = { lifetimes: 0, violations: 0, steps: 0, payments: 0, runs: 0, days: 0 };
  for (let index = 0; index < count; index += 1) {
    const lifetime = new Lifetime((seed + index) % 2 ** 31, workflow);
    const violations = await live(lifetime, findViolations);
    for (const violation of violations) console.log(`seed ${lifetime.seed}: ${violation}`);
    if (values.history) show(lifetime);
    totals.lifetimes += 1;
    totals.violations += violations.length;
    totals.steps += lifetime.history.steps.length;
    totals.payments += lifetime.provider.ledger.filter(({ state }) => state === 'paid').length;
    totals.runs += lifetime.temporal.runs;
    totals.days += Math.round((lifetime.merchantNowMs() - lifetime.scenario.startMs) / 86_400_000);
  }
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  console.log(JSON.stringify({ seed, ...totals, seconds, zone: Intl.DateTimeFormat().resolvedOptions().timeZone }));
  process.exitCode = totals.violations > 0 ? 1 : 0;
}

function countOf(name: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new Error(`--${name} must be a whole number of at least 0, and is ${text}.`);
}

/** An error of the workflow's code is a violation too. */
async function live(lifetime: Lifetime, find: (lifetime: Lifetime) => string[]): Promise<string[]> {
  try {
    await lifetime.live();
  } catch (error) {
    return [`the workflow failed: ${(error as Error).stack}`];
  }
  return find(lifetime);
}

function show({ history, provider, charges, requests }: Lifetime): void {
  for (const { atMs, nowMs, reason, requestId, after } of history.steps)
    console.log(new Date(atMs).toISOString(), new Date(nowMs).toISOString(), after.state, reason, requestId ?? '', {
      cycle: after.cycle,
      attempt: after.attempt,
      due: after.dueMinor,
      end: new Date(after.periodEndMs).toISOString(),
    });
  console.table(provider.ledger);
  console.table(charges.all);
  console.log(JSON.stringify(requests, null, 1));
}

/** The workflow's code gets the simulated Temporal instead of `@temporalio/workflow`, and its clock. */
async function loadWorkflow() {
  const { cache, resolve } = createRequire(__filename);
  const file = resolve('@temporalio/workflow');
  const module = { id: file, filename: file, loaded: true, exports: workflowModule, children: [], paths: [] };
  cache[file] = Object.assign(Object.create(null) as NodeJS.Module, module);
  Date.now = simulatedNow;
  const { subscription } = await import('../../workflows/subscription.js');
  const { Lifetime } = await import('./lifetime.js');
  const { findViolations } = await import('./rules.js');
  return { Lifetime, findViolations, workflow: subscription as Workflow<unknown> };
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
