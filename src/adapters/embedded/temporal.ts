import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { searchAttributes } from '../../../workflows/messages';
import { ProcessGroup, type Running, lastLines } from './processes';
import { getTemporalBinary } from './temporalBinary';

const readyWithinMs = 30_000;

const searchAttributeTypes = {
  [searchAttributes.merchant]: 'Int',
  [searchAttributes.item]: 'Int',
  [searchAttributes.state]: 'Keyword',
  [searchAttributes.failureReason]: 'Keyword',
};

/**
 * By default each hop of a workflow waits for the next of 20 slots a second: a third of the latency goes with these.
 * Fairness keeps one merchant's bulk from delaying another merchant's single charge.
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

/** Twice the throughput of the default journal; a crash of the process loses nothing. */
const sqlitePragmas = ['journal_mode=WAL', 'synchronous=NORMAL'];

export interface TemporalOptions {
  port: number;
  uiPort?: number;
  /** Where the UI has sealed payloads opened. */
  codecUrl?: string;
  /** Without one, everything is gone when the server stops. */
  databaseFile?: string;
  logFile: string;
  processes?: ProcessGroup;
  say?: (line: string) => void;
}

export interface RunningTemporal extends Running {
  readonly address: string;
}

/** A Temporal server of our own on 127.0.0.1, ready to take workflows when this resolves. */
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

function serverArguments({ port, uiPort, codecUrl, databaseFile }: TemporalOptions): string[] {
  const repeated = (flag: string, values: readonly string[]) => values.flatMap((value) => [flag, value]);
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--log-level', 'warn'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(codecUrl === undefined ? [] : ['--ui-codec-endpoint', codecUrl]),
    ...(databaseFile === undefined
      ? []
      : ['--db-filename', databaseFile, ...repeated('--sqlite-pragma', sqlitePragmas)]),
    ...repeated('--dynamic-config-value', dynamicConfig),
    ...repeated(
      '--search-attribute',
      Object.entries(searchAttributeTypes).map(([name, type]) => `${name}=${type}`),
    ),
  ];
}

async function waitUntilReady(address: string, running: Running): Promise<void> {
  let howItEnded: string | undefined;
  void running.ended.then((how) => (howItEnded = how));
  const connection = Connection.lazy({ address, channelArgs: { 'grpc.initial_reconnect_backoff_ms': 50 } });
  try {
    for (const deadline = Date.now() + readyWithinMs; ; await sleep(50)) {
      if (howItEnded !== undefined) throw new Error(howItEnded);
      if (await answers(connection)) return;
      if (Date.now() > deadline) throw new Error(`no answer within ${readyWithinMs / 1000} s`);
    }
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
