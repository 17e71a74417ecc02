import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { randomInt } from 'node:crypto';
import { ProcessGroup } from '../../scripts/embedded/processes';
import { ownSettings } from '../../scripts/launcher/ownSettings';
import { HistoryFile } from './history';
import { describe, sumUp, withResult } from './report';
import { type Plan, planRun } from './schedule';

const root = resolve(__dirname, '../../..');

/**
 * `npm run simulate -- --seed 7 --minutes 5`: runs the whole service, its clients and the faults that the seed plans, and
 * checks the history. Ends with 1 if a promise is broken.
 */
async function main(): Promise<void> {
  const options = readOptions();
  const plan = planRun(options);
  if (options.planOnly) return void console.log(JSON.stringify(plan, null, 2));
  const folder = await mkdtemp(join(tmpdir(), 'paywall-simulation-'));
  // PostgreSQL may run under another account than this program.
  await chmod(folder, 0o755);
  const processes = new ProcessGroup({ removeFolder: folder });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= processes.stopAll().then(() => rm(folder, { recursive: true, force: true })));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stop().then(() => process.exit(1)));
  try {
    process.exitCode = (await run(plan, options, folder, processes)) ? 0 : 1;
  } finally {
    await stop();
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string', default: '5' },
      operations: { type: 'string' },
      faults: { type: 'string' },
      history: { type: 'string' },
      report: { type: 'string' },
      'self-check': { type: 'boolean', default: false },
      'plan-only': { type: 'boolean', default: false },
    },
  });
  const { seed = String(randomInt(2 ** 31 - 1)), minutes, operations, faults, history, report } = values;
  return {
    // Generators know whole numbers of 31 bits.
    seed: countOf('seed', seed) % 2 ** 31,
    minutes: countOf('minutes', minutes, 0.1),
    ...(operations !== undefined && { operations: countOf('operations', operations, 1) }),
    ...(faults !== undefined && { faults: countOf('faults', faults) }),
    history: resolve(history ?? join('.data', 'simulation', `${seed}.jsonl`)),
    report,
    isSelfCheck: values['self-check'],
    planOnly: values['plan-only'],
  };
}

function countOf(name: string, text: string, least = 0): number {
  const count = Number(text);
  if (Number.isFinite(count) && count >= least) return count;
  throw new Error(`--${name} must be a number of at least ${least}, and is ${text}.`);
}

/** Returns whether all promises were kept, and the self-check has found what it planted. */
async function run(
  plan: Plan,
  { history: file, report, isSelfCheck }: ReturnType<typeof readOptions>,
  folder: string,
  processes: ProcessGroup,
): Promise<boolean> {
  const beganAt = performance.now();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '');
  const tell = (line: string) =>
    console.log(`${((performance.now() - beganAt) / 1000).toFixed(0).padStart(5)} s  ${line}`);
  tell(`Seed ${plan.seed}, history ${file}`);
  Object.assign(process.env, await ownSettings(folder));
  // The settings are read at the first import of the product, so the imports follow here.
  const { startService } = await import('./service.js');
  const { simulate } = await import('./simulate.js');
  const service = await startService(processes, tell);
  const history = new HistoryFile(file);
  const { books, violations, planted } = await simulate(plan, service, history, { tell, isSelfCheck });
  const seconds = (performance.now() - beganAt) / 1000;
  const outcome = sumUp({ plan, commit: readCommit(), seconds, history: history.entries, violations });
  console.log(describe(outcome, history.entries));
  if (violations.length > 0) writeFileSync(`${file}.books.json`, JSON.stringify(books, null, 2));
  if (report !== undefined) {
    mkdirSync(dirname(resolve(report)), { recursive: true });
    writeFileSync(report, withResult(existsSync(report) ? readFileSync(report, 'utf8') : '', outcome));
  }
  if (planted) console.log(`Self-check: ${planted.length - violations.length} violations by a planted charge`);
  await service.stop();
  return violations.length === 0 && (!planted || planted.length > 0);
}

/** With `+` if the sources differ from the commit. */
function readCommit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  try {
    return git('rev-parse', '--short=10', 'HEAD') + (git('status', '--porcelain', '--untracked-files=no') ? '+' : '');
  } catch {
    return 'unknown';
  }
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
