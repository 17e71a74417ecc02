import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { readMetrics } from '../support/metrics';
import { startApp, type TestApp } from '../support/startApp';

/** The alert rules, the dashboard and the runbooks use metrics and statements that exist. */

const root = path.join(__dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string().regex(/^Paywall[A-Za-z]+$/),
          expr: z.string().min(1),
          for: z.string().regex(/^\d+[mh]$/),
          labels: z.object({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.object({ summary: z.string().endsWith('.'), runbook: z.string() }),
        }),
      ),
    }),
  ),
});

const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })).min(1),
});

const alerts = Rules.parse(parse(read('deploy/prometheus/alerts.yml'))).groups.flatMap(({ rules }) => rules);
const { panels } = Dashboard.parse(JSON.parse(read('deploy/grafana/paywall.json')));
const runbooks = readdirSync(path.join(root, 'docs/runbooks')).filter((name) => name !== 'README.md');

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

/** The names of all metrics that an API serves, also of those without a value yet. */
async function metricNames(): Promise<Set<string>> {
  return new Set([...(await readMetrics()).matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
}

/** The metrics in a query, without the parts of a histogram. */
const metricsIn = (query: string) =>
  [...query.matchAll(/\b(?:paywall|process)_[a-z_]+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, ''));

test('alerts and panels name metrics that an API serves', async () => {
  const names = await metricNames();
  const queries = [
    ...alerts.map(({ expr }) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const used = queries.flatMap(metricsIn);
  expect(used.length).toBeGreaterThan(alerts.length);
  expect([...new Set(used)].filter((name) => !names.has(name))).toEqual([]);
});

test('docs/operating.md explains each metric of the product, and no other', async () => {
  const served = [...(await metricNames())].filter((name) => name.startsWith('paywall_'));
  const rows = read('docs/operating.md')
    .split('\n')
    .filter((line) => line.startsWith('| `paywall_'));
  const explained = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(paywall_\w+)`/g)]);
  expect(explained.map(([, name]) => name).toSorted()).toEqual(served.toSorted());
});

test('a figure of the installation is read as the maximum of the APIs, and never as their sum', () => {
  const [, table = ''] = read('docs/operating.md').split('| Metric of the installation |');
  const lines = table.split('\n').slice(2);
  const rows = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  );
  const figures = new Set(rows.flatMap((row) => metricsIn(row.split('|')[1] ?? '')));
  expect(figures.size).toBeGreaterThan(10);
  const queries = [
    ...alerts.map(({ expr }) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
  const summed = queries.flatMap((query) => [...query.matchAll(/\bsum(?: by \([^)]*\))? ?\((paywall_\w+)/g)]);
  expect(summed.length).toBeGreaterThan(0);
  expect(summed.filter(([, name = '']) => figures.has(name)).map(([query]) => query)).toEqual([]);
});

test('each alert names a runbook, and the list of runbooks has each of them', () => {
  const named = alerts.map(({ annotations }) => annotations.runbook);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  const list = read('docs/runbooks/README.md');
  expect(runbooks.filter((name) => !list.includes(`](${name})`))).toEqual([]);
});

test('the list of runbooks has each alert beside its page', () => {
  const rows = read('docs/runbooks/README.md').split('\n');
  const missing = alerts.filter(
    ({ alert, annotations }) =>
      !rows.some((row) => row.includes(`\`${alert}\``) && row.includes(`(${path.basename(annotations.runbook)})`)),
  );
  expect(missing.map(({ alert }) => alert)).toEqual([]);
});

test('each alert of the metrics themselves is a rule: a help text that says "alert" has one', () => {
  const source = ['metrics', 'processMetrics', 'certificates'].map((name) => read(`src/adapters/${name}.ts`)).join('');
  const announced = [...source.matchAll(/name: '(paywall_\w+)',\s*help:\s*'[^']*; alert/g)].map(
    ([, name = '']) => name,
  );
  expect(announced.length).toBeGreaterThan(10);
  const used = alerts.flatMap(({ expr }) => metricsIn(expr));
  expect(announced.filter((name) => !used.includes(name))).toEqual([]);
});

describe('the statements of a runbook run with the role of the API', () => {
  const statements = runbooks.flatMap((name) =>
    [...read(`docs/runbooks/${name}`).matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => [name, sql] as const),
  );
  test.each(statements)('%s: %s', async (_name, sql) => {
    const { pool } = await import('../../src/adapters/postgres/connection.js');
    await expect(pool.query(sql)).resolves.toBeDefined();
  });
});
