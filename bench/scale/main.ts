import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ProcessGroup } from '../../scripts/embedded/processes';
import { ownSettings } from '../../scripts/launcher/ownSettings';
import { addToReport, countOf, readCommit, teller } from '../../test/simulation/program';
import { benchFolderOf } from '../folder';

/**
 * `npm run bench:scale`: measures what each kind of work costs with a million live subscriptions. `docs/capacity.md` turns
 * the results into machines.
 */
async function main(): Promise<void> {
  const options = readOptions();
  const folder = await mkdtemp(join(tmpdir(), 'paywall-bench-'));
  // PostgreSQL may run under another account than this program.
  await chmod(folder, 0o755);
  const processes = new ProcessGroup({ removeFolder: folder });
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= processes.stopAll().then(() => rm(folder, { recursive: true, force: true })));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => void stop().then(() => process.exit(1)));
  try {
    const benchFolder = benchFolderOf(process.env);
    Object.assign(process.env, await ownSettings(folder));
    // The settings are read when the product is first imported, so the imports follow here.
    const { measureScale } = await import('./scale.js');
    const { describeScale } = await import('./report.js');
    const scale = await measureScale({ ...options, folder, benchFolder, processes, tell: teller() });
    const text = describeScale(scale, readCommit());
    console.log(text);
    if (options.report !== undefined) addToReport(options.report, () => text);
  } finally {
    await stop();
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      subscriptions: { type: 'string', default: '1000000' },
      runs: { type: 'string', default: '20000' },
      renewals: { type: 'string', default: '3000' },
      report: { type: 'string' },
    },
  });
  return {
    subscriptions: countOf('subscriptions', values.subscriptions, 1),
    runs: countOf('runs', values.runs, 1),
    renewals: countOf('renewals', values.renewals, 1),
    report: values.report,
  };
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
