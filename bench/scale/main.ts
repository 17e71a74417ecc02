import { parseArgs } from 'node:util';
import { ownSettings } from '../../scripts/launcher/ownSettings';
import { addToReport, countOf, readCommit, runAlone, teller } from '../../scripts/program';
import { benchFolderOf } from '../folder';

/**
 * `npm run bench:scale`: measures what each kind of work costs with a million live subscriptions. `docs/capacity.md` turns
 * the results into machines.
 */
async function main(): Promise<void> {
  const options = readOptions();
  await runAlone(async (folder, processes) => {
    const benchFolder = benchFolderOf(process.env);
    Object.assign(process.env, await ownSettings(folder));
    // The settings are read when the product is first imported, so the imports follow here.
    const { measureScale } = await import('./scale.js');
    const { describeScale } = await import('./report.js');
    const scale = await measureScale({ ...options, folder, benchFolder, processes, tell: teller() });
    const text = describeScale(scale, readCommit());
    console.log(text);
    if (options.report !== undefined) addToReport(options.report, () => text);
    return true;
  });
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
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
