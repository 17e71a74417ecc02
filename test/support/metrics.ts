import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { until } from './until';

/** The text that an API in this process serves to Prometheus. */
export async function readMetrics(): Promise<string> {
  const { createMetricsServer } = await import('../../src/adapters/metrics.js');
  const server = createMetricsServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`);
    if (answer.status !== 200) throw new Error(`the metrics were answered ${answer.status}`);
    return await answer.text();
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** One number of that text, such as `paywall_sockets` or `paywall_mails_total{outcome="sent"}`. NaN if it is not there. */
export async function readMetric(name: string): Promise<number> {
  const line = (await readMetrics()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? NaN);
}

/**
 * While `work` runs, the numbers change by these amounts. A number that is not there yet counts as 0. A process counts a
 * moment after the commit, so the last one may still be missing when `work` ends. At least one number must change: it shows
 * that everything before it is counted.
 */
export async function expectGrowth(expected: Record<string, number>, work: () => Promise<unknown>): Promise<void> {
  const read = async () => {
    const found = await Promise.all(Object.keys(expected).map(async (name) => [name, await readMetric(name)] as const));
    return new Map(found.map(([name, value]) => [name, Number.isNaN(value) ? 0 : value]));
  };
  const size = (numbers: number[]) => numbers.reduce((total, each) => total + Math.abs(each), 0);
  const least = size(Object.values(expected));
  if (least === 0) throw new Error('nothing is expected to change, so nothing shows when all is counted');
  const before = await read();
  await work();
  const grown = await until(async () => {
    const after = await read();
    const growth = Object.fromEntries([...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)]));
    return size(Object.values(growth)) >= least && growth;
  });
  expect(grown).toEqual(expected);
}
