import { randomInt } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePort } from '../../scripts/embedded/ports';
import { type ProcessGroup } from '../../scripts/embedded/processes';
import { ownSettings } from '../../scripts/launcher/ownSettings';
import { countOf, readCommit, runAlone, teller } from '../../scripts/program';
import { HistoryFile } from '../simulation/history';
import { type Plan, planRun } from '../simulation/schedule';
import { findServerPrograms } from '../support/databaseServer';
import { startMailServer } from '../support/mailServer';
import { readDashboard } from './dashboard';
import { describeEmpty, type FilledPanel, fillPanels } from './panels';
import { findPrometheus, type Prometheus, startPrometheus } from './prometheus';
import { describeDashboards } from './report';
import { type ObservedService } from './service';

/**
 * `npm run dashboards`: runs a service and a Prometheus, and asks the queries of deploy/grafana. Ends with 1 if one of them
 * has no number. With `--report`, writes a page with a picture of the panels.
 */
async function main(): Promise<void> {
  const options = readOptions();
  const programs = findPrograms();
  await runAlone((folder, processes) => run(options, { programs, folder, processes }));
}

const everySeconds = 2;
/** Points of a panel. */
const points = 60;
const answeredWithinMs = 60_000;
const dashboardFile = 'deploy/grafana/paywall.json';

function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: String(randomInt(2 ** 31 - 1)) },
      minutes: { type: 'string', default: '5' },
      operations: { type: 'string' },
      report: { type: 'string' },
      picture: { type: 'string' },
    },
  });
  const { operations, report } = values;
  return {
    seed: countOf('seed', values.seed) % 2 ** 31,
    minutes: countOf('minutes', values.minutes, 0.1),
    ...(operations !== undefined && { operations: countOf('operations', operations, 1) }),
    report,
    picture: values.picture ?? (report && join(dirname(report), 'images', 'dashboard.webp')),
  };
}

type Options = ReturnType<typeof readOptions>;

function findPrograms() {
  const [prometheus, postgres] = [findPrometheus(), findServerPrograms()];
  if (prometheus !== undefined && postgres !== undefined) return { prometheus, postgres };
  const absent = [...(prometheus ? [] : ['prometheus']), ...(postgres ? [] : ['postgresql'])];
  throw new Error(
    `The dashboards need ${absent.join(' and ')}. On Debian: apt-get install ${absent.join(' ')}. ` +
      'PostgreSQL is needed with pg_basebackup, for a replica and a backup. PROMETHEUS may name another program.',
  );
}

interface Place {
  programs: ReturnType<typeof findPrograms>;
  folder: string;
  processes: ProcessGroup;
}

async function run(options: Options, { programs, folder, processes }: Place): Promise<boolean> {
  const beganAt = performance.now();
  const tell = teller();
  Object.assign(process.env, await ownSettings(folder));
  const mailServer = await startMailServer();
  // The settings are read at the first import of the product, so the imports follow here.
  const { Supervisor } = await import('../../scripts/launcher/supervisor.js');
  const { startObserved } = await import('./service.js');
  const supervisor = new Supervisor(processes, { tell, longestPauseMs: 1_000 });
  const service = await startObserved(supervisor, { postgres: programs.postgres, mailUrl: mailServer.url, tell });
  try {
    const prometheus = await startPrometheus({
      ...{ program: programs.prometheus, port: await findFreePort(), dataFolder: join(folder, 'prometheus') },
      settings: readFileSync('deploy/prometheus/prometheus.yml', 'utf8'),
      rules: resolve('deploy/prometheus/alerts.yml'),
      ...{ scraped: service.scraped, everySeconds, processes, logFile: join(folder, 'prometheus.log') },
    });
    const plan = planLoad(options);
    const { start, violations } = await load(plan, { service, folder, tell });
    for (const { rule, what } of violations) console.log(`VIOLATION of ${rule}: ${what}`);
    const filled = await ask(prometheus, start);
    const seconds = Math.round((performance.now() - beganAt) / 1000);
    await publish(options, plan, { filled, seconds });
    return describeEmpty(filled).length === 0 && violations.length === 0;
  } finally {
    await service.stop();
    await mailServer.stop();
  }
}

/** Without purchases of app stores, which this service has none of. */
function planLoad({ seed, minutes, operations }: Options): Plan {
  const plan = planRun({ seed, minutes, faults: 0, ...(operations !== undefined && { operations }) });
  return { ...plan, operations: plan.operations.filter(({ what }) => what !== 'present') };
}

async function load(
  plan: Plan,
  { service, folder, tell }: { service: ObservedService; folder: string; tell: (line: string) => void },
) {
  const { simulate } = await import('../simulation/simulate.js');
  const file = join(folder, 'history.jsonl');
  writeFileSync(file, '');
  const start = Math.floor(Date.now() / 1000);
  const disturb = async () => void (await service.backUp());
  const { violations } = await simulate(plan, service, new HistoryFile(file), { tell, disturb, isSelfCheck: false });
  return { start, violations };
}

/** The answers of Prometheus, as soon as each query has one: the last scrape may still be missing. */
async function ask(prometheus: Prometheus, start: number): Promise<FilledPanel[]> {
  const { panels } = readDashboard(readFileSync(dashboardFile, 'utf8'));
  for (const deadline = Date.now() + answeredWithinMs; ; await sleep(everySeconds * 1000)) {
    const end = Math.floor(Date.now() / 1000);
    const step = Math.max(everySeconds, Math.ceil((end - start) / points));
    const filled = await fillPanels(panels, prometheus, { start, end, step });
    if (describeEmpty(filled).length === 0 || Date.now() > deadline) return filled;
  }
}

async function publish(options: Options, plan: Plan, { filled, seconds }: { filled: FilledPanel[]; seconds: number }) {
  const series = filled.reduce((sum, panel) => sum + panel.series.length, 0);
  for (const line of describeEmpty(filled)) console.log(line);
  console.log(`${filled.length} panels, ${series} series`);
  const { report, picture } = options;
  if (picture !== undefined) {
    const { dashboardPage, takePicture } = await import('./picture.js');
    await takePicture(dashboardPage(readDashboard(readFileSync(dashboardFile, 'utf8')).title, filled), picture);
  }
  if (report === undefined || picture === undefined) return;
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const facts = {
    date,
    commit: readCommit(),
    options: optionsOf(options),
    seconds,
    operations: plan.operations.length,
  };
  writeFileSync(report, describeDashboards({ ...facts, picture: relative(dirname(report), picture) }, filled));
}

const optionsOf = ({ seed, minutes, operations, report }: Options) =>
  [
    `--seed ${seed} --minutes ${minutes}`,
    ...(operations === undefined ? [] : [`--operations ${operations}`]),
    ...(report === undefined ? [] : [`--report docs/${basename(report)}`]),
  ].join(' ');

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
