import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ProcessGroup } from '../../scripts/embedded/processes';
import { ownSettings } from '../../scripts/launcher/ownSettings';
import { countOf, readCommit, runAlone, teller } from '../../scripts/program';
import { startMailServer } from '../support/mailServer';
import { startReceiver } from '../support/webhooks';
import { prepareDisk } from './disk';
import { startGate } from './gate';
import { isGood, renderResults } from './report';

/**
 * `npm run degraded`: runs the service with one fault after the other, and measures what clients see and for how long. Ends
 * with 1 if a goal is missed or a purchase is lost.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '15' },
      only: { type: 'string', default: '' },
      report: { type: 'string' },
    },
  });
  const options = { seconds: countOf('seconds', values.seconds, 1), only: values.only, report: values.report };
  await runAlone((folder, processes) => run(options, folder, processes));
}

interface Options {
  seconds: number;
  /** Measures only the modes whose name contains this text. */
  only: string;
  report: string | undefined;
}

async function run({ seconds, only, report }: Options, folder: string, processes: ProcessGroup): Promise<boolean> {
  const tell = teller();
  const [mails, receiver, disk] = [await startMailServer(), await startReceiver(), await prepareDisk(folder)];
  if (!disk) tell('The faults of the disk are left out: they need Linux and a C compiler (cc)');
  const gates = { mailServer: await gateTo(mails), receiver: await gateTo(receiver) };
  const settings = { SMTP_URL: `smtp://127.0.0.1:${gates.mailServer.port}`, METRICS_PORT: '0' };
  Object.assign(process.env, await ownSettings(folder), settings);
  // The settings are read at the first import of the product, so the imports follow here.
  const { startService } = await import('../simulation/service.js');
  const { openShop } = await import('./clients.js');
  const { measureMode } = await import('./measure.js');
  const { listModes } = await import('./modes.js');
  const service = await startService(processes, tell, { disk });
  const shop = await openShop(service.addresses[0] ?? '', `http://127.0.0.1:${gates.receiver.port}/hooks`);
  const figures = [];
  for (const mode of listModes({ service, shop, disk, ...gates })) {
    if (!mode.name.includes(only)) continue;
    tell(mode.name);
    figures.push(await measureMode(mode, service, shop, seconds));
  }
  const date = new Date().toISOString().slice(0, 16).replace('T', ' ');
  const text = renderResults({ date, commit: readCommit(), seconds, figures });
  console.log(text);
  if (report !== undefined) writeFileSync(report, text);
  await service.stop();
  return figures.length > 0 && figures.every(isGood);
}

const gateTo = ({ url }: { url: string }) => startGate(Number(new URL(url).port));

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
