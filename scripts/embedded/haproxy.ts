import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findServer } from './installed';
import { lastLines, type ProcessGroup, type Running } from './processes';
import { untilReady } from './readiness';

const execute = promisify(execFile);
const readyWithinMs = 20_000;
const socketName = 'haproxy.sock';
const serverName = (place: number) => `api-${place + 1}`;

export interface ProxyOptions {
  /** Of the program, from `findHaproxy`. */
  program: string;
  dataFolder: string;
  port: number;
  /** The ports of the APIs. */
  apis: readonly number[];
  /** The text of `deploy/haproxy.cfg`. */
  settings: string;
  processes: ProcessGroup;
  logFile: string;
}

export interface RunningProxy extends Running {
  /** Another process serves new connections, and the old one ends with its last connection. */
  reload(): Promise<void>;
  /** Resolves when requests go to the API with this place in `apis`. */
  sendsTo(place: number): Promise<void>;
}

/** The program of Debian's package `haproxy`, or the one that HAPROXY names. */
export function findHaproxy(): string | undefined {
  return findServer('haproxy', process.env['HAPROXY']);
}

/** HAProxy on 127.0.0.1 in front of the APIs, with the settings of `deploy/haproxy.cfg`. */
export async function startHaproxy(options: ProxyOptions): Promise<RunningProxy> {
  const { program, dataFolder, port, processes, logFile } = options;
  await mkdir(dataFolder, { recursive: true });
  const file = join(dataFolder, 'haproxy.cfg');
  await writeFile(file, settingsHere(options));
  const running = await processes.start('HAProxy', program, ['-W', '-f', file], { stopRank: 0, logFile });
  try {
    await untilReady(running, () => answers(port), readyWithinMs);
  } catch (error) {
    await running.stop();
    throw new Error(`HAProxy did not start\n${lastLines(logFile)}`, { cause: error });
  }
  const sendsTo = (place: number) => untilUp(join(dataFolder, socketName), serverName(place));
  return { ...running, reload: () => reload(running.pid), sendsTo };
}

type Placed = Pick<ProxyOptions, 'settings' | 'port' | 'apis' | 'dataFolder'>;

/** The APIs have addresses on this machine instead of a name in Docker's network. */
export function settingsHere({ settings, port, apis, dataFolder }: Placed): string {
  const servers = apis.map((api, index) => `  server ${serverName(index)} 127.0.0.1:${api}`).join('\n');
  const socket = `  stats socket ${join(dataFolder, socketName)} mode 600 level admin expose-fd listeners`;
  return (
    settings
      .replace(/^# The name `api`[^]*?\n\n/m, '')
      // Each connection needs two files.
      .replace('maxconn 20000', 'maxconn 4000')
      .replace('bind :8080', `bind 127.0.0.1:${port}`)
      .replace(/ {2}# Room for[^]*? init-addr none/, servers)
      .replace(/^global$/m, `global\n${socket}`)
  );
}

async function reload(master: number): Promise<void> {
  const before = await childrenOf(master);
  process.kill(master, 'SIGUSR2');
  for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline; await sleep(50)) {
    const now = await childrenOf(master);
    if (now.some((child) => !before.includes(child))) return;
  }
  throw new Error('HAProxy has not reloaded its settings');
}

async function untilUp(socket: string, server: string): Promise<void> {
  for (const deadline = Date.now() + readyWithinMs; Date.now() < deadline; await sleep(100)) {
    const [head = [], ...lines] = (await ask(socket, 'show stat')).split('\n').map((line) => line.split(','));
    const status = head.indexOf('status');
    if (lines.some((cells) => cells[1] === server && cells[status]?.startsWith('UP'))) return;
  }
  throw new Error(`HAProxy does not send requests to ${server}`);
}

async function ask(socket: string, command: string): Promise<string> {
  const connection = connect(socket);
  connection.end(`${command}\n`);
  let answer = '';
  for await (const part of connection) answer += String(part);
  return answer;
}

async function childrenOf(pid: number): Promise<string[]> {
  const { stdout } = await execute('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter(Boolean);
}

async function answers(port: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/health/ready`);
  await answer.text();
  return answer.ok;
}
