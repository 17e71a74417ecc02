import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { findServerPrograms } from '../support/databaseServer';
import { nameOf, readDashboard, shownUnit } from './dashboard';
import { describeEmpty, fillPanels } from './panels';
import { findPrometheus, type FoundSeries, settingsHere } from './prometheus';

const root = path.join(__dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const absent = [
  ...(findPrometheus() ? [] : ['no promtool is found']),
  ...(findServerPrograms() ? [] : ['no pg_basebackup is found']),
];
const withPrograms = absent.length > 0 ? describe.skip : describe;

/** The program that `npm run dashboards` starts after the build, without the servers and the settings of this test. */
function run(...args: string[]): Promise<{ code: number; output: string }> {
  const program = path.join(root, 'dist/test/dashboards/main.js');
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: root, env, maxBuffer: 1e8 }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });
}

withPrograms(`a run of the service${absent.length > 0 ? ` (skipped: ${absent.join(', ')})` : ''}`, () => {
  test('each query of the dashboard has numbers', async () => {
    const { panels } = readDashboard(read('deploy/grafana/paywall.json'));
    const { code, output } = await run('--seed', '21', '--minutes', '0.4', '--operations', '60');
    expect(output).toMatch(new RegExp(`^${panels.length} panels, \\d+ series$`, 'm'));
    expect({ code, output }).toEqual({ code: 0, output: expect.not.stringMatching(/has no data|VIOLATION/) as string });
  });
});

const { panels } = readDashboard(read('deploy/grafana/paywall.json'));
const range = { start: 100, end: 104, step: 2 };
const answering = (values: FoundSeries['values']) => ({ query: () => Promise.resolve([{ labels: {}, values }]) });

test('a query without a number is named with its panel, and one with a number is not', async () => {
  const panel = panels.slice(0, 1);
  const [without] = await Promise.all([fillPanels(panel, answering(new Map()), range)]);
  expect(describeEmpty(without)).toEqual([
    'Requests by status has no data: sum by (status) (rate(paywall_http_request_seconds_count[5m]))',
  ]);
  expect(describeEmpty(await fillPanels(panel, answering(new Map([[102, 0]])), range))).toEqual([]);
});

test('the points in time of a panel are those of its range', async () => {
  const [filled] = await fillPanels(panels, answering(new Map()), range);
  expect(filled?.times).toEqual([100, 102, 104]);
});

test('a series has the name that the panel gives it', () => {
  expect(nameOf('{{queue}} oldest (s)', { queue: 'webhooks' })).toBe('webhooks oldest (s)');
  expect(nameOf('{{ state }}, {{absent}}', { state: 'past_due' })).toBe('past_due, ');
});

test('small times are shown as milliseconds, and bytes and shares as MiB and %', () => {
  expect(shownUnit('s', 9.9)).toEqual({ factor: 1000, name: 'ms' });
  expect(shownUnit('s', 10)).toEqual({ factor: 1, name: 's' });
  expect(shownUnit('bytes', 1)).toEqual({ factor: 1 / 1_048_576, name: 'MiB' });
  expect(shownUnit('percentunit', 1)).toEqual({ factor: 100, name: '%' });
  expect(shownUnit('reqps', 1)).toEqual({ factor: 1, name: 'requests/s' });
});

test('Prometheus gets the jobs of deploy/prometheus with the addresses of this machine, and its rules', () => {
  const options = {
    settings: read('deploy/prometheus/prometheus.yml'),
    scraped: { 'paywall-api': ['127.0.0.1:1', '127.0.0.1:2'], 'paywall-worker': ['127.0.0.1:3'] },
    ...{ rules: '/rules.yml', everySeconds: 2 },
  };
  expect(parse(settingsHere(options))).toEqual({
    global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '2s' },
    rule_files: ['/rules.yml'],
    scrape_configs: [
      { job_name: 'paywall-api', static_configs: [{ targets: ['127.0.0.1:1', '127.0.0.1:2'] }] },
      { job_name: 'paywall-worker', static_configs: [{ targets: ['127.0.0.1:3'] }] },
    ],
  });
});
