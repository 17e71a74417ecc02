import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ownSettings } from '../../scripts/launcher/ownSettings';
import { type Cluster } from './cluster';
import { behindRequests, findPrograms, temporalOf } from './clusterPrograms';
import { HistoryFile } from './history';
import { addToReport, countOf, readCommit, runAlone, teller } from '../../scripts/program';
import { describeRoll, type Restart, roll, sumUpRoll, withRollResult } from './roll';
import { planPurchases } from './schedule';

/**
 * `npm run cluster`: runs the service as an installation with many processes does, until ctrl-C. With `--roll`, restarts each
 * part while customers buy, and ends with 1 if a request failed or a promise was broken.
 */
async function main(): Promise<void> {
  const options = readOptions();
  const programs = findPrograms(options.temporal);
  await runAlone(async (folder, processes) => {
    const tell = teller();
    prefer();
    const settings = await ownSettings(folder);
    Object.assign(process.env, settings, { BASE_URL: `http://127.0.0.1:${settings['PORT']}` });
    // The settings are read at the first import of the product, so the imports follow here.
    const { startCluster } = await import('./cluster.js');
    const cluster = await startCluster(programs, processes, tell);
    console.log(cluster.facts.join('\n'));
    if (options.isRoll) return rollUnderLoad(cluster, options, tell);
    tell('The cluster runs. Stop it with ctrl-C');
    await once(process, 'SIGINT');
    return true;
  });
}

/** As much above other programs of the machine as workers and Temporal are below the other parts. Only root may do this. */
function prefer(): void {
  try {
    setPriority(-behindRequests);
  } catch {
    // Then workers and Temporal are below the other programs.
  }
}

type Options = ReturnType<typeof readOptions>;

function readOptions() {
  const { values } = parseArgs({
    options: {
      roll: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(randomInt(2 ** 31 - 1)) },
      minutes: { type: 'string', default: '4' },
      'per-second': { type: 'string', default: '20' },
      history: { type: 'string' },
      report: { type: 'string' },
      temporal: { type: 'string', default: 'server' },
    },
  });
  return {
    temporal: temporalOf(values.temporal),
    isRoll: values.roll,
    seed: countOf('seed', values.seed) % 2 ** 31,
    minutes: countOf('minutes', values.minutes, 0.1),
    perSecond: countOf('per-second', values['per-second'], 0.1),
    history: resolve(values.history ?? join('.data', 'cluster', `${values.seed}.jsonl`)),
    report: values.report,
  };
}

async function rollUnderLoad(cluster: Cluster, options: Options, tell: (line: string) => void): Promise<boolean> {
  const beganAt = performance.now();
  const { simulate } = await import('./simulate.js');
  const plan = planPurchases(options);
  mkdirSync(dirname(options.history), { recursive: true });
  writeFileSync(options.history, '');
  const history = new HistoryFile(options.history);
  let restarts: Restart[] = [];
  const disturb = async () => {
    restarts = await roll(cluster.parts, tell);
    if (performance.now() - beganAt > plan.lengthMs) tell('The restarts took longer than the load: use more --minutes');
  };
  const { violations } = await simulate(plan, cluster, history, { tell, disturb, isSelfCheck: false });
  const seconds = (performance.now() - beganAt) / 1000;
  const commit = readCommit();
  const outcome = sumUpRoll({ plan, commit, seconds, history: history.entries, violations, restarts });
  console.log(describeRoll(outcome));
  if (options.report !== undefined) addToReport(options.report, (text) => withRollResult(text, outcome));
  await cluster.stop();
  return outcome.failed.length === 0 && violations.length === 0;
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
