import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chmod, rm } from 'node:fs/promises';
import { ProcessGroup } from '../scripts/embedded/processes';
import { measureReports, seedReports, type Measured, type ReportBench } from './reports';
import { withDatabase } from './database';
import { type BenchPostgres, startBenchPostgres } from './server';

const sizes = [100_000, 1_000_000];
/** The limit for the 95th percentile of every report at the larger size. */
const limitMs = 300;

/**
 * `npm run bench:reports`: measures how long reports take over 100,000 and over 1,000,000 payments, and prints their
 * plans.
 */
async function main(): Promise<void> {
  const given = process.env['REPORTS_PAYMENTS'];
  if (given !== undefined) return void process.send?.(await measureReports(Number(given), 0));
  const folder = await mkdtemp(join(tmpdir(), 'paywall-bench-'));
  await chmod(folder, 0o755);
  const processes = new ProcessGroup({ removeFolder: folder });
  try {
    const { url: serverUrl, runtimeUrl } = await startBenchPostgres(folder, processes);
    const found: ReportBench[] = [];
    for (const payments of sizes) {
      const began = Date.now();
      const url = await seedReports(serverUrl, payments);
      const measured = await measureBeside({ url, runtimeUrl }, payments);
      found.push({ ...measured, seconds: Math.round((Date.now() - began) / 1000) });
    }
    console.log(render(found));
    const slow = tooSlow(found);
    if (slow.length > 0)
      throw new Error(`over ${limitMs} ms, or slower by as much as there is more: ${slow.join(', ')}`);
  } finally {
    await processes.stopAll();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs in a process of its own, whose settings name the database. The role is that of the service, to which policies apply. */
async function measureBeside({ url, runtimeUrl }: BenchPostgres, payments: number): Promise<ReportBench> {
  const urls = {
    DATABASE_URL: withDatabase(runtimeUrl, new URL(url).pathname.slice(1)),
    MIGRATION_DATABASE_URL: url,
  };
  const env = { ...process.env, ...urls, REPORTS_PAYMENTS: String(payments), ENVIRONMENT: 'test' };
  const child = fork(__filename, { env });
  const [measured] = (await once(child, 'message')) as [ReportBench];
  return measured;
}

/** Deferred revenue is summed over the sales whose days are not over, and liabilities of a past day over the movements before. */
const readsSales = (what: string) => /^(deferred revenue|liabilities) /.test(what);

/** The reports over the limit, and those whose time grows at least as fast as the number of payments. */
function tooSlow([small, large]: readonly ReportBench[]): string[] {
  const growth = (large?.payments ?? 0) / (small?.payments ?? 1);
  const isSlow = ({ what, median, p95 }: Measured, index: number) =>
    p95 > limitMs || (!readsSales(what) && median >= growth * (small?.measured[index]?.median ?? median));
  return (large?.measured ?? []).filter(isSlow).map(({ what }) => what);
}

function render(found: readonly ReportBench[]): string {
  const [small, large] = found;
  const lines = (large?.measured ?? []).map(({ what, median, p95 }, index) => {
    const before = small?.measured[index]?.median ?? 0;
    const numbers = [before, median, p95].map((ms) => `${ms.toFixed(1)} ms`.padStart(10));
    return `${what.padEnd(44)}${numbers.join('')}${`${(median / before).toFixed(1)}x`.padStart(8)}`;
  });
  const head = ''.padEnd(44) + ['100,000', '1,000,000', 'p95', 'growth'].map((name) => name.padStart(10)).join('');
  const seeded = found.map(
    ({ payments, subscriptions, seconds }) => `${payments} payments, ${subscriptions} subscriptions: ${seconds} s`,
  );
  return [...seeded, '', head, ...lines, '', large?.explained ?? ''].join('\n');
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
