import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { lastLines, type ProcessGroup, type Running } from './processes';
import { untilReady } from './readiness';
import { type TemporalStore } from './temporalStore';

const readyWithinMs = 60_000;
const namespace = 'default';
const retention = '1 day';
/** As in docker-compose.yml. It cannot be changed once the databases exist. */
const historyShards = 16;
const services = ['frontend', 'history', 'matching', 'worker'] as const;

/** The port of the calls of a service, and the port where its processes find each other. */
export type TemporalPorts = Record<(typeof services)[number], { grpc: number; membership: number }>;

export interface TemporalServerOptions {
  /** The program `temporal-server`. */
  program: string;
  store: TemporalStore;
  ports: TemporalPorts;
  dataFolder: string;
  /** The path of `deploy/temporal/dynamicconfig.yaml`. */
  dynamicConfig: string;
  processes: ProcessGroup;
  logFile: string;
  /** How much of its priority the server gives up. */
  niceness?: number;
}

/** Ports for all services, from a function that finds a free one. */
export async function findTemporalPorts(findPort: () => Promise<number>): Promise<TemporalPorts> {
  const pairs = services.map(async (service) => [service, { grpc: await findPort(), membership: await findPort() }]);
  return Object.fromEntries(await Promise.all(pairs)) as TemporalPorts;
}

/**
 * A Temporal server on 127.0.0.1 with its store in PostgreSQL, as an installation has it. It accepts workflows in the
 * namespace `default` when the promise resolves.
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<Running> {
  const { program, ports, dataFolder, processes, logFile, niceness } = options;
  const folder = join(dataFolder, 'config');
  await mkdir(folder, { recursive: true });
  // YAML contains JSON.
  await writeFile(join(folder, 'paywall.yaml'), JSON.stringify(serverSettings(options), null, 2), { mode: 0o600 });
  const flags = ['--root', dataFolder, '--config', 'config', '--env', 'paywall', '--allow-no-auth', 'start'];
  const running = await processes.start('Temporal', program, flags, {
    ...{ stopRank: 3, logFile, stopWithinMs: 40_000 },
    ...(niceness !== undefined && { niceness }),
  });
  const connection = Connection.lazy({
    address: `127.0.0.1:${ports.frontend.grpc}`,
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 500 },
  });
  try {
    await untilReady(running, () => isReady(connection), readyWithinMs);
  } catch (error) {
    await running.stop();
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Temporal (${program}) did not start: ${reason}\n${lastLines(logFile)}`, { cause: error });
  } finally {
    await connection.close();
  }
  return running;
}

/** Registers the namespace if the store is new. The calls fail until the server knows its namespaces and owns its shards. */
async function isReady(connection: Connection): Promise<boolean> {
  return connection.withDeadline(Date.now() + 2_000, async () => {
    const { namespaces } = await connection.workflowService.listNamespaces({ pageSize: 100 });
    if (!namespaces.some(({ namespaceInfo }) => namespaceInfo?.name === namespace))
      await connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: msToTs(retention),
      });
    await connection.workflowService.countWorkflowExecutions({ namespace });
    return true;
  });
}

function serverSettings({ store, ports, dynamicConfig }: TemporalServerOptions) {
  const { host, port, user, password } = store;
  const sql = (databaseName: string, maxConns: number) => ({
    sql: {
      ...{ pluginName: 'postgres12', databaseName, connectAddr: `${host}:${port}`, connectProtocol: 'tcp' },
      ...{ user, password, maxConns, maxIdleConns: maxConns, maxConnLifetime: '1h' },
    },
  });
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      ...{ numHistoryShards: historyShards, defaultStore: 'default', visibilityStore: 'visibility' },
      datastores: { default: sql('temporal', 20), visibility: sql('temporal_visibility', 10) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(services.map((service) => [service, { rpc: rpcOf(ports[service]) }])),
    clusterMetadata: {
      ...{ enableGlobalNamespace: false, failoverVersionIncrement: 10 },
      ...{ masterClusterName: 'active', currentClusterName: 'active' },
      clusterInformation: {
        active: {
          ...{ enabled: true, initialFailoverVersion: 1, rpcName: 'frontend' },
          rpcAddress: `127.0.0.1:${ports.frontend.grpc}`,
        },
      },
    },
    publicClient: { hostPort: `127.0.0.1:${ports.frontend.grpc}` },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '60s' },
  };
}

const rpcOf = ({ grpc, membership }: TemporalPorts['frontend']) => ({
  ...{ grpcPort: grpc, membershipPort: membership, bindOnIP: '127.0.0.1' },
});
