import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Load, type LoadResult } from './load';
import { cpuSeconds } from './memory';
import { type BareParts, type Product } from './parts';
import { type Seeded } from './seed';
import { type Line, median } from './table';

const rounds = 4;
const secondsPerRound = 4;
const connections = 64;
/** Texts prepared before the clock runs; connections take them in turn. */
const differentRequests = 20_000;

interface Setting {
  product: Product;
  bare: BareParts;
  seeded: Seeded;
  tell: (what: string) => void;
}

interface Measured {
  perSecond: number;
  cpuMicroseconds: number;
}

/** The access check beside a bare endpoint that reads one row by its key, in rounds that alternate. */
export async function compareAccessChecks({ product, bare, seeded, tell }: Setting): Promise<Line[]> {
  const productSide = { port: product.apiPort, pid: product.apiPid, requests: accessRequests(seeded) };
  const bareSide = { port: bare.endpointPort, pid: bare.endpointPid, requests: bareRequests(seeded) };
  tell(`${rounds} rounds of ${secondsPerRound} s with ${connections} connections`);
  for (const side of [productSide, bareSide]) await measure(side, 2);
  const found = { product: [] as Measured[], bare: [] as Measured[] };
  for (let round = 0; round < rounds; round += 1) {
    found.product.push(await measure(productSide, secondsPerRound));
    found.bare.push(await measure(bareSide, secondsPerRound));
  }
  const line = (what: string, unit: string, of: keyof Measured): Line => ({
    what,
    unit,
    product: median(found.product.map((measured) => measured[of])),
    bare: median(found.bare.map((measured) => measured[of])),
  });
  return [
    { ...line(`Access checks, ${connections} connections`, '/s', 'perSecond'), aim: { atLeast: 1 } },
    line('Access check, CPU of the server', 'µs', 'cpuMicroseconds'),
  ];
}

interface Side {
  port: number;
  pid: number;
  requests: string[];
}

async function measure({ port, pid, requests }: Side, seconds: number): Promise<Measured> {
  const child = fork(join(__dirname, 'load.js'));
  const load: Load = { port, connections, seconds, requests };
  child.send(load);
  const before = cpuSeconds(pid);
  const [result] = (await once(child, 'message')) as [LoadResult];
  const used = cpuSeconds(pid) - before;
  await once(child, 'exit');
  if (result.failures > 0) throw new Error(`${result.failures} answers were not 200: ${result.firstFailure}`);
  return { perSecond: result.answers / result.seconds, cpuMicroseconds: (used * 1e6) / result.answers };
}

function accessRequests({ viewers, itemIds }: Seeded): string[] {
  return Array.from({ length: differentRequests }, () =>
    requestText(`/items/${anyOf(itemIds)}/access`, `Authorization: Bearer ${anyOf(viewers)}\r\n`),
  );
}

function bareRequests({ accessIds: [first, last] }: Seeded): string[] {
  return Array.from({ length: differentRequests }, () =>
    requestText(`/accesses/${first + Math.floor(Math.random() * (last - first + 1))}`, ''),
  );
}

function requestText(path: string, headers: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench.test\r\n${headers}\r\n`;
}

function anyOf<T>(values: readonly T[]): T | undefined {
  return values[Math.floor(Math.random() * values.length)];
}
