import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/embedded/ports';
import { ProcessGroup } from '../../scripts/embedded/processes';
import { startTemporal, type RunningTemporal } from '../../scripts/embedded/temporal';

/** A workflow server for one file that can be stopped and started. It keeps its address and its store. */
export interface OwnTemporal {
  address: string;
  /** Killed, as in a power cut. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  /** Starts with an empty store. */
  startEmpty: () => Promise<void>;
  /** Connections stay open and nothing answers, as behind a network that swallows packets. */
  freeze: () => void;
  thaw: () => void;
  stop: () => Promise<void>;
}

export async function startOwnTemporal(): Promise<OwnTemporal> {
  const processes = new ProcessGroup();
  const file = join(process.env['TEST_DATA_DIR'] ?? '', `temporal-${randomUUID()}`);
  const options = { port: await findFreePort(), databaseFile: `${file}.db`, logFile: `${file}.log`, processes };
  let running: RunningTemporal = await startTemporal(options);
  return {
    address: running.address,
    kill: async () => {
      process.kill(running.pid, 'SIGKILL');
      await running.ended;
    },
    start: async () => {
      running = await startTemporal(options);
    },
    startEmpty: async () => {
      running = await startTemporal({ ...options, databaseFile: `${file}-${randomUUID()}.db` });
    },
    freeze: () => void process.kill(running.pid, 'SIGSTOP'),
    thaw: () => void process.kill(running.pid, 'SIGCONT'),
    stop: () => processes.stopAll(),
  };
}
