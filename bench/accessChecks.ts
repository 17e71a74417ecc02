import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Load, type LoadResult } from './load';
import { cpuSeconds } from './memory';
import { type BareParts, type Product } from './parts';
import { type Viewing } from './viewers';
import { type Line, median } from './table';

const rounds = 7;
const secondsPerRound = 2;
const connections = 64;
/** Texts prepared before the clock runs; connections take them in turn. */
const differentRequests = 20_000;

interface Setting {
  product: Product;
  bare: BareParts;
  viewing: Viewing;
  tell: (what: string) => void;
}

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  cpuMicroseconds: number;
}

/**
 * The access check, on a million entitlements, beside a bare Express endpoint that reads one row of the same table by its
 * key, and beside the same server's `GET /health/live`, which reads nothing. Rounds alternate, so that whatever else
 * happens on the machine happens to all.
 */
export async function compareAccessChecks({ product, bare, viewing, tell }: Setting): Promise<Line[]> {
  const api = { port: product.apiPort, pid: product.apiPid };
  const sides = {
    check: { ...api, requests: accessRequests(viewing) },
    bare: { port: bare.endpointPort, pid: bare.endpointPid, requests: bareRequests(viewing) },
    live: { ...api, requests: [requestText('/health/live', '')] },
  };
  tell(`${rounds} rounds of ${secondsPerRound} s each, with ${connections} connections, of three endpoints in turn`);
  // Every request is made once, and the code compiled, before anything is measured, however slow the machine is.
  await measure({ ...sides.check, answersAtLeast: differentRequests }, 4);
  for (const side of Object.values(sides)) await measure(side, 1);
  const found = { check: [] as Measured[], bare: [] as Measured[], live: [] as Measured[] };
  for (let round = 0; round < rounds; round += 1)
    for (const name of ['check', 'bare', 'live'] as const)
      found[name].push(await measure(sides[name], secondsPerRound));
  const line = (what: string, unit: string, of: keyof Measured, beside: 'bare' | 'live'): Line => ({
    what,
    unit,
    product: median(found.check.map((measured) => measured[of])),
    bare: median(found[beside].map((measured) => measured[of])),
    ratio: median(found.check.map((measured, round) => measured[of] / (found[beside][round]?.[of] ?? Number.NaN))),
  });
  return [
    { ...line('Access checks beside bare Express', '/s', 'perSecond', 'bare'), aim: { atLeast: 2 } },
    line('  p50', 'ms', 'p50', 'bare'),
    line('  p99', 'ms', 'p99', 'bare'),
    line('  CPU of the server', 'µs', 'cpuMicroseconds', 'bare'),
    line('Access checks beside GET /health/live', '/s', 'perSecond', 'live'),
    line('  p50', 'ms', 'p50', 'live'),
    line('  p99', 'ms', 'p99', 'live'),
  ];
}

interface Side {
  port: number;
  pid: number;
  requests: string[];
  answersAtLeast?: number;
}

async function measure({ port, pid, requests, answersAtLeast = 0 }: Side, seconds: number): Promise<Measured> {
  const child = fork(join(__dirname, 'load.js'));
  const load: Load = { port, connections, seconds, requests, answersAtLeast };
  child.send(load);
  const before = cpuSeconds(pid);
  const [result] = (await once(child, 'message')) as [LoadResult];
  const used = cpuSeconds(pid) - before;
  await once(child, 'exit');
  if (result.failures > 0) throw new Error(`${result.failures} answers were not 200: ${result.firstFailure}`);
  const { answers, p50, p99 } = result;
  return { perSecond: answers / result.seconds, p50, p99, cpuMicroseconds: (used * 1e6) / answers };
}

function accessRequests({ views }: Viewing): string[] {
  return Array.from({ length: differentRequests }, (_, index) => {
    const view = views[index % views.length];
    return requestText(`/items/${view?.itemId}/access`, `Authorization: Bearer ${view?.token}\r\n`);
  });
}

function bareRequests({ accessIds: [first, last] }: Viewing): string[] {
  return Array.from({ length: differentRequests }, () =>
    requestText(`/accesses/${first + Math.floor(Math.random() * (last - first + 1))}`, ''),
  );
}

function requestText(path: string, headers: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench.test\r\n${headers}\r\n`;
}
