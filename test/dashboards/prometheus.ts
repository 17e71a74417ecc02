import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { findInstalled, isExecutable } from '../../scripts/embedded/installed';
import { lastLines, type ProcessGroup } from '../../scripts/embedded/processes';
import { untilReady } from '../../scripts/embedded/readiness';

const readyWithinMs = 60_000;

/** The program of Debian's package `prometheus`, or the one that PROMETHEUS names. */
export function findPrometheus(): string | undefined {
  const given = process.env['PROMETHEUS'];
  return given ? [given].find(isExecutable) : findInstalled('prometheus');
}

/** The addresses (`host:port`) of the processes by the name of their job. */
export type Scraped = Record<string, readonly string[]>;

export interface PrometheusOptions {
  program: string;
  port: number;
  dataFolder: string;
  /** The text of `deploy/prometheus/prometheus.yml`. */
  settings: string;
  /** The path of `deploy/prometheus/alerts.yml`. */
  rules: string;
  scraped: Scraped;
  everySeconds: number;
  processes: ProcessGroup;
  logFile: string;
}

/** A series of a query: its labels, and its values by Unix seconds. Values that are no numbers are left out. */
export interface FoundSeries {
  labels: Record<string, string>;
  values: Map<number, number>;
}

/** In Unix seconds. */
export interface Range {
  start: number;
  end: number;
  step: number;
}

export interface Prometheus {
  query(expr: string, range: Range): Promise<FoundSeries[]>;
}

/** A Prometheus on 127.0.0.1 with the settings of `deploy/prometheus`. */
export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const { program, port, dataFolder, processes, logFile } = options;
  await mkdir(dataFolder, { recursive: true });
  const file = join(dataFolder, 'prometheus.yml');
  await writeFile(file, settingsHere(options));
  const flags = [`--config.file=${file}`, `--storage.tsdb.path=${join(dataFolder, 'data')}`];
  const address = `127.0.0.1:${port}`;
  const running = await processes.start('Prometheus', program, [...flags, `--web.listen-address=${address}`], {
    ...{ stopRank: 0, logFile },
  });
  const isReady = async () => (await fetch(`http://${address}/-/ready`)).ok;
  await untilReady(running, isReady, readyWithinMs).catch((error: unknown) => {
    throw new Error(`Prometheus did not start\n${lastLines(logFile)}`, { cause: error });
  });
  return { query: (expr, range) => query(`http://${address}`, expr, range) };
}

const Settings = z.looseObject({
  global: z.looseObject({ scrape_interval: z.string() }),
  rule_files: z.array(z.string()),
  scrape_configs: z.array(z.looseObject({ job_name: z.string() })),
});

/** The processes have addresses on this machine instead of names in Docker's network, and are asked more often. */
export function settingsHere(options: Pick<PrometheusOptions, 'settings' | 'rules' | 'scraped' | 'everySeconds'>) {
  const { settings, rules, scraped, everySeconds } = options;
  const own = Settings.parse(parse(settings));
  const jobs = own.scrape_configs.map(({ job_name: name }) => ({
    job_name: name,
    static_configs: [{ targets: scraped[name] ?? [] }],
  }));
  const every = `${everySeconds}s`;
  const global = { ...own.global, scrape_interval: every, scrape_timeout: every, evaluation_interval: every };
  return stringify({ ...own, global, rule_files: own.rule_files.map(() => rules), scrape_configs: jobs });
}

const Answer = z.object({
  data: z.object({
    result: z.array(
      z.object({ metric: z.record(z.string(), z.string()), values: z.array(z.tuple([z.number(), z.string()])) }),
    ),
  }),
});

async function query(address: string, expr: string, { start, end, step }: Range): Promise<FoundSeries[]> {
  const body = new URLSearchParams({ query: expr, start: String(start), end: String(end), step: String(step) });
  const answer = await fetch(`${address}/api/v1/query_range`, { method: 'POST', body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Prometheus answered ${answer.status} to ${expr}: ${text}`);
  return Answer.parse(JSON.parse(text)).data.result.map(({ metric, values }) => ({
    labels: metric,
    values: new Map(
      values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
    ),
  }));
}
