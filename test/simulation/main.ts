import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { randomInt } from 'node:crypto';
import { type ProcessGroup } from '../../scripts/embedded/processes';
import { ownSettings } from '../../scripts/launcher/ownSettings';
import { prepareDisk } from '../degraded/disk';
import { prepareClocks } from './clocks';
import { causeFaults } from './faults';
import { HistoryFile } from './history';
import { addToReport, countOf, readCommit, runAlone, teller } from '../../scripts/program';
import { describe, sumUp, withResult } from './report';
import { numbersOf, type Plan, planRun } from './schedule';
import { numbersIn } from './shrink';
import { shrinkRun } from './shrinkRun';

/**
 * `npm run simulate -- --seed 7 --minutes 5`: runs the whole service, its clients and the faults that the seed plans, and
 * checks the history. Ends with 1 if a promise is broken.
 */
async function main(): Promise<void> {
  const options = readOptions();
  const plan = chosen(options);
  if (options.isShrinking) return shrinkRun(plan, options);
  if (options.planOnly) return print(JSON.stringify(plan, null, 2));
  await runAlone((folder, processes) => run(plan, options, folder, processes));
}

/** Resolves when a pipe has taken the whole text: the program ends at once after it. */
const print = (text: string) => new Promise<void>((resolve) => void process.stdout.write(`${text}\n`, () => resolve()));

function chosen({ onlyOperations, onlyFaults, ...size }: ReturnType<typeof readOptions>): Plan {
  const { operations, faults } = numbersOf(planRun(size));
  return planRun({ ...size, kept: { operations: onlyOperations ?? operations, faults: onlyFaults ?? faults } });
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string', default: '5' },
      operations: { type: 'string' },
      faults: { type: 'string' },
      kills: { type: 'string', default: '0' },
      restore: { type: 'boolean', default: false },
      history: { type: 'string' },
      report: { type: 'string' },
      'self-check': { type: 'boolean', default: false },
      'only-operations': { type: 'string' },
      'only-faults': { type: 'string' },
      shrink: { type: 'boolean', default: false },
      'shrink-runs': { type: 'string', default: '30' },
      'plan-only': { type: 'boolean', default: false },
    },
  });
  const { seed = String(randomInt(2 ** 31 - 1)), minutes, operations, faults, history, report } = values;
  // The restore would take the planted faults back in one book, and not in the other.
  if (values['self-check'] && values.restore) throw new Error('--self-check and --restore need a run each.');
  const chosenBy = (name: 'only-operations' | 'only-faults') => {
    const text = values[name];
    return text === undefined ? undefined : numbersIn(name, text);
  };
  return {
    // Generators know whole numbers of 31 bits.
    seed: countOf('seed', seed) % 2 ** 31,
    minutes: countOf('minutes', minutes, 0.1),
    ...(operations !== undefined && { operations: countOf('operations', operations, 1) }),
    ...(faults !== undefined && { faults: countOf('faults', faults) }),
    kills: countOf('kills', values.kills),
    isRestored: values.restore,
    onlyOperations: chosenBy('only-operations'),
    onlyFaults: chosenBy('only-faults'),
    isShrinking: values.shrink,
    runsMax: countOf('shrink-runs', values['shrink-runs'], 1),
    history: resolve(history ?? join('.data', 'simulation', `${seed}.jsonl`)),
    report,
    isSelfCheck: values['self-check'],
    planOnly: values['plan-only'],
  };
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
  const tell = teller();
  tell(`Seed ${plan.seed}, history ${file}`);
  Object.assign(process.env, await ownSettings(folder));
  // The settings are read at the first import of the product, so the imports follow here.
  const { startService } = await import('./service.js');
  const { simulate } = await import('./simulate.js');
  const disk = await prepareDisk(folder);
  if (!disk) tell('Faults of the disk and of clocks are left out: they need Linux and a C compiler (cc)');
  const clocks = await prepareClocks(folder);
  const service = await startService(processes, tell, { disk, clocks });
  const history = new HistoryFile(file);
  const { books, violations, missedRules } = await simulate(plan, service, history, {
    tell,
    disturb: () => causeFaults(plan.faults, service, history),
    isSelfCheck,
    // A part of a plan may have no backup.
    ...(plan.faults.some(({ what }) => what === 'backup') && { restorable: service }),
  });
  const seconds = (performance.now() - beganAt) / 1000;
  const outcome = sumUp({ plan, commit: readCommit(), seconds, history: history.entries, violations });
  console.log(describe(outcome, history.entries));
  if (violations.length > 0) tell('To leave out what is not needed for the violations, add --shrink');
  if (violations.length > 0) writeFileSync(`${file}.books.json`, JSON.stringify(books, null, 2));
  if (report !== undefined) addToReport(report, (text) => withResult(text, outcome));
  if (missedRules) console.log(`Self-check: ${missedRules.join(', ') || 'no rule'} missed a planted fault`);
  await service.stop();
  return violations.length === 0 && (!missedRules || missedRules.length === 0);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
