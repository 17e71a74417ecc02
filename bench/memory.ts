import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Product } from './parts';
import { type Line } from './table';

const restMs = 10_000;
const clockTicksPerSecond = 100;

/** Ten seconds after the start, before the first request. */
export async function measureRest({ apiPid, workerPid }: Product): Promise<Line[]> {
  await sleep(restMs);
  const [api, worker] = [residentMb(apiPid), residentMb(workerPid)];
  const line = (what: string, product: number): Line => ({ what, product, unit: 'MB' });
  return [
    line('Memory at rest: API', api),
    line('Memory at rest: worker', worker),
    { ...line('Memory at rest: API + worker', api + worker), aim: { atMost: 300 } },
  ];
}

/** What a process has in memory now. */
export function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/** Processor time that a process has used so far, in user and in system mode. */
export function cpuSeconds(pid: number): number {
  const [, afterName = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = afterName.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / clockTicksPerSecond;
}
