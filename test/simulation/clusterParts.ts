import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProxyOptions, type RunningProxy, startHaproxy } from '../../scripts/embedded/haproxy';
import { type PoolerOptions, type RunningPooler, startPgBouncer } from '../../scripts/embedded/pgbouncer';
import { findFreePort } from '../../scripts/embedded/ports';
import { findTemporalPorts, startTemporalServer } from '../../scripts/embedded/temporalServer';
import { getTemporalServerPrograms, temporalServerVersion } from '../../scripts/embedded/temporalServerPrograms';
import { prepareTemporalStore } from '../../scripts/embedded/temporalStore';
import { type LauncherSettings } from '../../scripts/launcher/settings';
import { type Supervisor } from '../../scripts/launcher/supervisor';
import { behindRequests, type TemporalKind } from './clusterPrograms';
import { Part } from './part';
import { prepareStore } from './service';

type Tell = (line: string) => void;

/** Where the parts of a cluster run. */
export interface Place {
  supervisor: Supervisor;
  settings: LauncherSettings;
}

const readDeployed = ({ root }: LauncherSettings, name: string) => readFile(join(root, 'deploy', name), 'utf8');

export async function prepareProxy(program: string, apis: number[], { supervisor, settings }: Place) {
  const options: ProxyOptions = {
    program,
    apis,
    port: Number(process.env['PORT']),
    dataFolder: join(settings.dataFolder, 'haproxy'),
    settings: await readDeployed(settings, 'haproxy.cfg'),
    processes: supervisor.processes,
    logFile: settings.logFile('haproxy'),
  };
  let current: RunningProxy | undefined;
  const part = new Part('HAProxy', async () => {
    current = await startHaproxy(options);
    return current;
  });
  await part.keep(supervisor);
  const address = `http://127.0.0.1:${options.port}`;
  const sendsTo = async (place: number) => current?.sendsTo(place);
  return { name: part.name, part, address, sendsTo, restart: async () => current?.reload() };
}

export async function preparePooler(program: string, databaseUrl: string, { supervisor, settings }: Place) {
  const options: PoolerOptions = {
    program,
    databaseUrl,
    port: await findFreePort(),
    dataFolder: join(settings.dataFolder, 'pgbouncer'),
    settings: await readDeployed(settings, 'pgbouncer.ini'),
    processes: supervisor.processes,
    logFile: settings.logFile('pgbouncer'),
  };
  const urls = { url: '', workerUrl: '' };
  let successor: Promise<RunningPooler> | undefined;
  const part = new Part('PgBouncer', async () => {
    const starting = successor ?? startPgBouncer(options);
    successor = undefined;
    const running = await starting;
    Object.assign(urls, { url: running.url, workerUrl: running.workerUrl });
    return running;
  });
  await part.keep(supervisor);
  const restart = async () => {
    const before = part.pid;
    supervisor.expectEnd(part.name);
    successor = startPgBouncer({ ...options, takesOver: true });
    await successor;
    await part.isReplaced(before);
  };
  return { name: 'PgBouncer', part, ...urls, restart };
}

/** Temporal with its store in the same PostgreSQL, as in docker-compose.yml, or the server of `npm start`. */
export async function prepareTemporal(kind: TemporalKind, ownerUrl: string, place: Place & { tell: Tell }) {
  const { supervisor, settings, tell } = place;
  if (kind === 'development') {
    const { part, address } = await prepareStore(supervisor, tell);
    return { part, address, fact: `${address} (development server, with a store of its own)` };
  }
  const { processes } = supervisor;
  const logFile = settings.logFile('temporal');
  const build = { processes, logFile: settings.logFile('temporal-build'), say: tell };
  const programs = await getTemporalServerPrograms(build);
  const store = await prepareTemporalStore(ownerUrl, programs.sqlTool);
  const ports = await findTemporalPorts(findFreePort);
  const dataFolder = join(settings.dataFolder, 'temporal');
  const dynamicConfig = join(settings.root, 'deploy/temporal/dynamicconfig.yaml');
  const options = { program: programs.server, store, ports, dataFolder, dynamicConfig, processes, logFile };
  const behind = { ...options, niceness: behindRequests };
  const part = new Part('Temporal', () => startTemporalServer(behind));
  await part.keep(supervisor);
  const address = `127.0.0.1:${ports.frontend.grpc}`;
  return { part, address, fact: `${address} (server ${temporalServerVersion} on PostgreSQL)` };
}
