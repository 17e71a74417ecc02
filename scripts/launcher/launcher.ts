import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopLeftovers } from '../embedded/leftovers';
import { ProcessGroup } from '../embedded/processes';
import { config } from '../../src/config';
import { announceStop, releaseLock, takeLock } from './lock';
import { startParts } from './parts';
import { refuseBusyPorts } from './portCheck';
import { renderScreen } from './screen';
import { type LauncherSettings, readSettings } from './settings';
import { Supervisor } from './supervisor';
import { messageOf, say } from './words';

/** Starts all parts and shows the screen. Stops all parts in order at a signal, or if a part does not start. */
export async function launch(): Promise<void> {
  const settings = readSettings(process.env);
  await holdDataFolder(settings);
  const recordFile = join(settings.dataFolder, 'processes.json');
  const supervisor = new Supervisor(new ProcessGroup({ recordFile }));
  let stopping: Promise<void> | undefined;
  const stop = (failure?: unknown) => (stopping ??= stopAndExit(supervisor, settings, failure));
  whenAskedToStop(() => void stop());
  try {
    const left = await stopLeftovers(recordFile);
    if (left.length > 0) say(`Stopped the processes of a killed launcher: ${left.join(', ')}`);
    await refuseBusyPorts(settings);
    const running = await startParts(supervisor, settings);
    say(renderScreen(running));
  } catch (error) {
    await stop(error);
  }
}

/** One launcher per data folder. The next one may start while the last one is still stopping. */
async function holdDataFolder({ dataFolder }: LauncherSettings): Promise<void> {
  let holder = takeLock(dataFolder, config.BASE_URL);
  if (holder?.isStopping) say('The last one is still stopping: waiting for it ...');
  while (holder?.isStopping) {
    await sleep(100);
    holder = takeLock(dataFolder, config.BASE_URL);
  }
  if (holder === undefined) return;
  throw new Error(
    [
      `It runs already: ${holder.address}, process ${holder.pid}, data in ${dataFolder}`,
      'Stop it with ctrl-C there, or start another copy with a DATA_DIR and ports of its own.',
    ].join('\n'),
  );
}

/** ctrl-C, `kill`, a closed terminal and a dead parent process all cause an orderly stop. */
function whenAskedToStop(stop: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);
  // A closed terminal accepts no more lines. Stopping continues without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

async function stopAndExit(supervisor: Supervisor, settings: LauncherSettings, failure: unknown): Promise<void> {
  announceStop(settings.dataFolder, config.BASE_URL);
  if (failure === undefined) say('\nStopping ...');
  await supervisor.stopAll();
  releaseLock(settings.dataFolder);
  if (failure !== undefined) console.error(messageOf(failure));
  process.exit(failure === undefined ? 0 : 1);
}
