import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The alert rules by Prometheus' own program, with series that are just on each side of their limits. */

const rules = path.join(__dirname, '../../deploy/prometheus/alerts.yml');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const withPromtool = hasPromtool ? describe : describe.skip;

type Series = Record<string, string>;

interface Case {
  alert: string;
  /** In Prometheus' notation: `5x10` is 5 and ten more samples of 5, `0+1x60` grows by 1 a minute. */
  fires: Series;
  keepsSilent: Series;
  /** Minutes after the first sample. */
  at: number;
}

const charges = (declined: string, paid: string, kind = 'renewal') => ({
  [`paywall_charges_total{kind="${kind}",outcome="declined"}`]: declined,
  [`paywall_charges_total{kind="${kind}",outcome="paid"}`]: paid,
});
const dunned = (past: string, held: string) => ({
  'paywall_dunning_subscriptions{state="past_due",retry="planned",instance="a"}': past,
  'paywall_dunning_subscriptions{state="past_due",retry="planned",instance="b"}': past,
  'paywall_dunning_subscriptions{state="on_hold",retry="none",instance="a"}': held,
});
const mails = (givenUp: string, sent: string) => ({
  'paywall_mails_total{outcome="given_up"}': givenUp,
  'paywall_mails_total{outcome="sent"}': sent,
});
const disk = (free: string, size: string) => ({
  'node_filesystem_avail_bytes{job="paywall-database-disk",mountpoint="/data"}': free,
  'node_filesystem_size_bytes{job="paywall-database-disk",mountpoint="/data"}': size,
});
const pollers = (queue: string, value: string) => ({ [`paywall_queue_pollers{queue="${queue}"}`]: value });

const cases: Case[] = [
  {
    alert: 'PaywallWorkerDown',
    fires: { 'up{job="paywall-worker",instance="a"}': '0x10' },
    keepsSilent: { 'up{job="paywall-worker",instance="a"}': '0 1x10' },
    at: 5,
  },
  {
    alert: 'PaywallQueueWithoutWorker',
    fires: { ...pollers('interactive', '0x10'), ...pollers('webhooks', '2x10') },
    keepsSilent: { ...pollers('interactive', '1x10'), ...pollers('webhooks', '2x10') },
    at: 5,
  },
  {
    alert: 'PaywallQueueWaits',
    fires: { 'paywall_queue_oldest_seconds{queue="interactive"}': '61x20' },
    // Renewals of a night may wait.
    keepsSilent: {
      'paywall_queue_oldest_seconds{queue="interactive"}': '60x20',
      'paywall_queue_oldest_seconds{queue="background"}': '3000x20',
    },
    at: 10,
  },
  {
    alert: 'PaywallDatabaseDown',
    fires: { 'paywall_database_up{instance="a"}': '0x10' },
    keepsSilent: { 'paywall_database_up{instance="a"}': '0 1x10' },
    at: 5,
  },
  {
    alert: 'PaywallFiguresMissing',
    fires: { 'up{job="paywall-api"}': '1x20' },
    keepsSilent: { 'up{job="paywall-api"}': '1x20', paywall_outbox_parked: '0x20' },
    at: 15,
  },
  {
    alert: 'PaywallLogArchiveFails',
    fires: { paywall_wal_archive_failing: '1x20' },
    keepsSilent: { paywall_wal_archive_failing: '1 1 1 0x20' },
    at: 10,
  },
  {
    alert: 'PaywallBackupOld',
    fires: { 'paywall_backup_age_seconds{kind="base"}': '93601x20' },
    keepsSilent: { 'paywall_backup_age_seconds{kind="base"}': '93600x20' },
    at: 15,
  },
  {
    alert: 'PaywallCertificateExpires',
    fires: { 'paywall_certificate_seconds_left{certificate="tls"}': '1209599x90' },
    keepsSilent: { 'paywall_certificate_seconds_left{certificate="tls"}': '1209600x90' },
    at: 80,
  },
  {
    alert: 'PaywallManyDeclines',
    fires: charges('0+3x120', '0+2x120'),
    keepsSilent: charges('0+2x120', '0+2x120'),
    at: 110,
  },
  {
    // Few charges: two declines of three are no sign.
    alert: 'PaywallManyDeclines',
    fires: charges('0+0.4x120', '0x120', 'purchase'),
    keepsSilent: charges('0+0.3x120', '0x120', 'purchase'),
    at: 110,
  },
  {
    alert: 'PaywallDatabaseDiskFills',
    fires: disk('149x20', '1000x20'),
    keepsSilent: disk('150x20', '1000x20'),
    at: 15,
  },
  {
    alert: 'PaywallReplicaBehind',
    fires: {
      'paywall_replica_lag_seconds{instance="a"}': '0x20',
      'paywall_replica_lag_seconds{instance="b"}': '301x20',
    },
    keepsSilent: { 'paywall_replica_lag_seconds{instance="a"}': '300x20' },
    at: 15,
  },
  {
    alert: 'PaywallReportsFallBack',
    fires: { 'paywall_report_fallbacks_total{reason="away"}': '0+2x60' },
    keepsSilent: { 'paywall_report_fallbacks_total{reason="conflict"}': '0x30 1x60' },
    at: 50,
  },
  {
    alert: 'PaywallDunningGrows',
    fires: dunned('80x1440 131x120', '20x1600'),
    keepsSilent: dunned('80x1440 130x120', '20x1600'),
    at: 1530,
  },
  {
    alert: 'PaywallMailsGivenUp',
    fires: mails('0+3x120', '0+2x120'),
    keepsSilent: mails('0+2x120', '0+2x120'),
    at: 110,
  },
];

let folder: string;

beforeAll(() => (folder = mkdtempSync(path.join(tmpdir(), 'paywall-alerts-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** What promtool prints about a run of the rules over series. Empty if exactly the expected alerts fire. */
function run(alert: string, series: Series, at: number, isExpected: boolean): string {
  const file = path.join(folder, 'cases.yml');
  const inputs = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  // The number of alerts that fire. Their texts are compared by other tests.
  const expr = `count(ALERTS{alertname="${alert}",alertstate="firing"}) > 0`;
  const found = [{ labels: '{}', value: 1 }];
  const cases = [
    {
      interval: '1m',
      input_series: inputs,
      promql_expr_test: [{ expr, eval_time: `${at}m`, exp_samples: isExpected ? found : [] }],
    },
  ];
  writeFileSync(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests: cases }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

withPromtool(`the rules by promtool${hasPromtool ? '' : ' (skipped: no promtool is found)'}`, () => {
  test('all rules can be read', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' });
    expect(`${status} ${stderr}`).toBe('0 ');
    expect(stdout).toContain('SUCCESS');
  });

  test.each(cases)('$alert fires above its limit, and keeps silent at it', ({ alert, fires, keepsSilent, at }) => {
    expect(run(alert, fires, at, true)).toBe('');
    expect(run(alert, keepsSilent, at, false)).toBe('');
  });
});
