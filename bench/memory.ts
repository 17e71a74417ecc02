import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from './database';
import { type Product } from './parts';
import { type Line } from './table';

const restMs = 10_000;
const clockTicksPerSecond = 100;

/**
 * The processor time of a start, and the memory ten seconds later, before the first request. The processor time does not
 * depend on what else the machine does; a start on an idle machine takes a little longer than it.
 */
export async function measureRest({ apiPid, workerPid }: Product): Promise<Line[]> {
  const [apiStart, workerStart] = [cpuSeconds(apiPid), cpuSeconds(workerPid)];
  await sleep(restMs);
  const [api, worker] = [residentMb(apiPid), residentMb(workerPid)];
  const line = (what: string, product: number): Line => ({ what, product, unit: 'MB' });
  return [
    { ...line('Processor time of a start: API', apiStart), unit: 's', aim: { atMost: 1.5 } },
    { ...line('Processor time of a start: worker', workerStart), unit: 's' },
    line('Memory at rest: API', api),
    line('Memory at rest: worker', worker),
    { ...line('Memory at rest: API + worker', api + worker), aim: { atMost: 280 } },
    line('Memory at rest: both, shared pages counted once', sharedOnceMb([apiPid, workerPid])),
  ];
}

/** The memory of a process at this moment. */
export function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/**
 * The memory that processes take together. Each counts its part of a page that several processes share, such as the
 * program `node` itself. Other processes that run at the same time take their part too.
 */
function sharedOnceMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => {
    const [, found] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(found);
  });
  return kilobytes.reduce((sum, found) => sum + found, 0) / 1024;
}

/** Processor time that a process has used so far, in user and in system mode. */
export function cpuSeconds(pid: number): number {
  const { user, system } = statOf(pid);
  return (user + system) / clockTicksPerSecond;
}

/** The processor time of a process and its children, including children that have ended. */
export function cpuSecondsOfFamily(pid: number): number {
  const { ended, endedSystem } = statOf(pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  const living = children.reduce((sum, child) => sum + cpuSecondsUnlessGone(child), 0);
  return cpuSeconds(pid) + (ended + endedSystem) / clockTicksPerSecond + living;
}

const parentOf = (pid: number) => statOf(pid).parent;

/** The parent of all other processes of the database server. */
export async function findPostgres(databaseUrl: string): Promise<number> {
  const sql = 'SELECT pg_backend_pid() AS pid';
  // The backend ends with its connection, so its parent is read before.
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>(sql);
    return parentOf(rows[0]?.pid ?? 0);
  });
}

function cpuSecondsUnlessGone(pid: number): number {
  return existsSync(`/proc/${pid}`) ? cpuSeconds(pid) : 0;
}

function statOf(pid: number) {
  const [, afterName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = afterName.split(' ').map(Number);
  const [user = 0, system = 0, ended = 0, endedSystem = 0] = fields.slice(11);
  return { parent: fields[1] ?? 0, user, system, ended, endedSystem };
}
