import { Connection } from '@temporalio/client';
import { searchAttributes } from '../../workflows/messages';
import { ProcessGroup, type Running, lastLines } from './processes';
import { untilReady } from './readiness';
import { getTemporalBinary } from './temporalBinary';

const readyWithinMs = 30_000;

const searchAttributeTypes = {
  [searchAttributes.merchant]: 'Int',
  [searchAttributes.item]: 'Int',
  [searchAttributes.state]: 'Keyword',
  [searchAttributes.failureReason]: 'Keyword',
};

/**
 * By default each step of a workflow waits for the next of 20 slots a second, which is a third of the latency. Fairness
 * prevents one merchant's many tasks from delaying another merchant's single charge.
 */
const dynamicConfig = [
  'history.transferProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxPollRPS=2000',
  'history.visibilityProcessorMaxPollRPS=2000',
  'history.outboundProcessorMaxPollRPS=2000',
  'history.timerProcessorMaxTimeShift="10ms"',
  'system.enableActivityEagerExecution=true',
  'matching.enableFairness=true',
];

/** Twice the throughput of the default journal. A crash of the process loses nothing. */
const sqlitePragmas = ['journal_mode=WAL', 'synchronous=NORMAL'];

export interface TemporalOptions {
  port: number;
  uiPort?: number;
  /** The server that decrypts payloads for the UI. */
  codecUrl?: string;
  /** Absent: all data is lost when the server stops. */
  databaseFile?: string;
  logFile: string;
  /** For tests: a run continues as a new one at once, instead of a second after its start. */
  continuesAtOnce?: boolean;
  processes?: ProcessGroup;
  say?: (line: string) => void;
}

export interface RunningTemporal extends Running {
  readonly address: string;
}

/** Starts a Temporal server of our own on 127.0.0.1. It accepts workflows when the promise resolves. */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const processes = options.processes ?? new ProcessGroup();
  const binary = await getTemporalBinary({ processes, logFile: options.logFile, say: options.say ?? (() => {}) });
  const running = await processes.start('Temporal', binary, serverArguments(options), {
    stopRank: 3,
    logFile: options.logFile,
  });
  const address = `127.0.0.1:${options.port}`;
  try {
    await waitUntilReady(address, running);
  } catch (error) {
    await running.stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Temporal (${binary}) did not start: ${reason}\n${lastLines(options.logFile)}`, { cause: error });
  }
  return { ...running, address };
}

function serverArguments(options: TemporalOptions): string[] {
  const { port, uiPort, codecUrl, databaseFile, continuesAtOnce = false } = options;
  const repeated = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'warn'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(codecUrl === undefined ? [] : ['--ui-codec-endpoint', codecUrl]),
    ...(databaseFile === undefined
      ? []
      : ['--db-filename', databaseFile, ...repeated('--sqlite-pragma', sqlitePragmas)]),
    ...repeated('--dynamic-config-value', [
      ...dynamicConfig,
      ...(continuesAtOnce ? ['history.workflowIdReuseMinimalInterval="0s"'] : []),
    ]),
    ...repeated(
      '--search-attribute',
      Object.entries(searchAttributeTypes).map(([name, type]) => `${name}=${type}`),
    ),
  ];
}

async function waitUntilReady(address: string, running: Running): Promise<void> {
  const connection = Connection.lazy({ address, channelArgs: { 'grpc.initial_reconnect_backoff_ms': 50 } });
  try {
    await untilReady(running, () => answers(connection), readyWithinMs);
  } finally {
    await connection.close();
  }
}

function answers(connection: Connection): Promise<boolean> {
  const describe = () => connection.workflowService.describeNamespace({ namespace: 'default' });
  return connection.withDeadline(Date.now() + 500, describe).then(
    () => true,
    () => false,
  );
}
