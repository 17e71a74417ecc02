import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Load, type LoadResult } from './load';
import { Client } from 'pg';
import { cpuSeconds, cpuSecondsOfFamily, parentOf } from './memory';
import { type BareParts, type Product } from './parts';
import { openViewers, type Viewing } from './viewers';
import { type Line, median } from './table';

const rounds = 7;
const secondsPerRound = 2;
const connections = 64;
/** Texts prepared before the clock runs; connections take them in turn. */
const differentRequests = 20_000;

interface Setting {
  product: Product;
  bare: BareParts;
  tell: (what: string) => void;
}

type Name = 'check' | 'bare' | 'live';

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  cpuMicroseconds: number;
  postgresMicroseconds: number;
}

/**
 * The access check, on a million entitlements, beside a bare Express endpoint that reads one row of the same table by its
 * key, and beside the same server's `GET /health/live`, which reads nothing. Rounds alternate, so that whatever else
 * happens on the machine happens to all.
 */
export async function compareAccessChecks({ product, bare, tell }: Setting): Promise<Line[]> {
  const viewing = await openViewers(product.databaseUrl);
  const postgresPid = await findPostgres(product.databaseUrl);
  const api = { port: product.apiPort, pid: product.apiPid, postgresPid };
  const sides = {
    check: { ...api, requests: accessRequests(viewing) },
    bare: { port: bare.endpointPort, pid: bare.endpointPid, postgresPid, requests: bareRequests(viewing) },
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
  const line = (what: string, unit: string, of: keyof Measured, name: Name, beside: Name): Line => ({
    what,
    unit,
    product: median(found[name].map((measured) => measured[of])),
    bare: median(found[beside].map((measured) => measured[of])),
    ratio: median(found[name].map((measured, round) => measured[of] / (found[beside][round]?.[of] ?? Number.NaN))),
  });
  return [
    { ...line('Access checks beside bare Express', '/s', 'perSecond', 'check', 'bare'), aim: { atLeast: 2 } },
    line('  p50', 'ms', 'p50', 'check', 'bare'),
    line('  p99', 'ms', 'p99', 'check', 'bare'),
    line('  CPU of the server', 'µs', 'cpuMicroseconds', 'check', 'bare'),
    line('  CPU of PostgreSQL', 'µs', 'postgresMicroseconds', 'check', 'bare'),
    line('Access checks beside GET /health/live', '/s', 'perSecond', 'check', 'live'),
    line('  p50', 'ms', 'p50', 'check', 'live'),
    line('  p99', 'ms', 'p99', 'check', 'live'),
    // What does nothing at all: no endpoint of this process, on this machine, is further ahead of bare Express.
    line('GET /health/live beside bare Express', '/s', 'perSecond', 'live', 'bare'),
  ];
}

/** The process that all others of the database server are children of. */
async function findPostgres(databaseUrl: string): Promise<number> {
  const client = new Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    return parentOf(rows[0]?.pid ?? 0);
  } finally {
    await client.end();
  }
}

interface Side {
  port: number;
  pid: number;
  postgresPid: number;
  requests: string[];
  answersAtLeast?: number;
}

async function measure(side: Side, seconds: number): Promise<Measured> {
  const { port, pid, postgresPid, requests, answersAtLeast = 0 } = side;
  const child = fork(join(__dirname, 'load.js'));
  const load: Load = { port, connections, seconds, requests, answersAtLeast };
  child.send(load);
  const before = cpuSeconds(pid);
  const postgresBefore = cpuSecondsOfFamily(postgresPid);
  const [result] = (await once(child, 'message')) as [LoadResult];
  const used = cpuSeconds(pid) - before;
  const postgresUsed = cpuSecondsOfFamily(postgresPid) - postgresBefore;
  await once(child, 'exit');
  if (result.failures > 0) throw new Error(`${result.failures} answers were not 200: ${result.firstFailure}`);
  const { answers, p50, p99 } = result;
  return {
    perSecond: answers / result.seconds,
    p50,
    p99,
    cpuMicroseconds: (used * 1e6) / answers,
    postgresMicroseconds: (postgresUsed * 1e6) / answers,
  };
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
