/** Series on each side of the limit of each alert rule, in Prometheus' notation. */

export type Series = Record<string, string>;

interface AlertCase {
  alert: string;
  /** In Prometheus' notation: `5x10` is 5 and ten more samples of 5, `0+1x60` grows by 1 a minute. */
  fires: Series;
  keepsSilent: Series;
  /** Minutes after the first sample. */
  at: number;
}

const requests = (failed: string, others: string) => ({
  'paywall_http_request_seconds_count{status="503"}': failed,
  'paywall_http_request_seconds_count{status="200"}': others,
});
/** The requests that took at most half a second, and all of them. */
const durations = (fast: string, all: string) => ({
  'paywall_http_request_seconds_bucket{le="0.5"}': fast,
  'paywall_http_request_seconds_bucket{le="2"}': all,
  'paywall_http_request_seconds_bucket{le="+Inf"}': all,
});
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
const connections = (waiting: string) => ({
  'paywall_database_connections{pool="statements",state="waiting"}': waiting,
  'paywall_database_connections{pool="statements",state="busy"}': '10x20',
});

export const alertCases: AlertCase[] = [
  {
    alert: 'PaywallApiDown',
    fires: { 'up{job="paywall-api",instance="a"}': '0x10', 'up{job="paywall-api",instance="b"}': '1x10' },
    keepsSilent: { 'up{job="paywall-api",instance="a"}': '0 0 1 0x7', 'up{job="paywall-worker"}': '0x10' },
    at: 4,
  },
  {
    alert: 'PaywallApiErrors',
    fires: requests('0+11x20', '0+989x20'),
    keepsSilent: requests('0+10x20', '0+990x20'),
    at: 15,
  },
  {
    alert: 'PaywallApiSlow',
    fires: durations('0+98x30', '0+100x30'),
    keepsSilent: durations('0+99x30', '0+100x30'),
    at: 25,
  },
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
  {
    alert: 'PaywallDatabaseConnectionsExhausted',
    fires: connections('5x10'),
    // A connection is free for a moment, and work waits again.
    keepsSilent: connections('5x4 0 5x4'),
    at: 9,
  },
  {
    alert: 'PaywallOutboxWaits',
    fires: { paywall_outbox_oldest_seconds: '61x5' },
    keepsSilent: { paywall_outbox_oldest_seconds: '60x5' },
    at: 4,
  },
  {
    alert: 'PaywallOutboxRefused',
    fires: { paywall_outbox_parked: '0 1x5' },
    keepsSilent: { paywall_outbox_parked: '1 0x5' },
    at: 1,
  },
  {
    alert: 'PaywallRunsOverdue',
    fires: { 'paywall_runs_overdue{workflow="payment"}': '0x20', 'paywall_runs_overdue{workflow="refund"}': '1x20' },
    keepsSilent: { 'paywall_runs_overdue{workflow="refund"}': '1x9 0 1x9' },
    at: 15,
  },
  {
    alert: 'PaywallRunOverdueForAnHour',
    fires: { 'paywall_runs_overdue_oldest_seconds{workflow="refund"}': '3601x5' },
    keepsSilent: { 'paywall_runs_overdue_oldest_seconds{workflow="refund"}': '3600x5' },
    at: 1,
  },
  {
    alert: 'PaywallRunsMissing',
    fires: { 'paywall_runs_missing{workflow="refund"}': '1x80', 'paywall_runs_missing{workflow="payment"}': '0x80' },
    // The runs of a lost store are back within half an hour.
    keepsSilent: { 'paywall_runs_missing{workflow="refund"}': '9000-300x29 0x50' },
    at: 70,
  },
  {
    alert: 'PaywallRowsBehind',
    fires: { paywall_rows_behind: '0 1x5' },
    keepsSilent: { paywall_rows_behind: '0x5' },
    at: 1,
  },
  {
    alert: 'PaywallChargesUnknown',
    fires: { paywall_charges_unknown: '1x80' },
    keepsSilent: { paywall_charges_unknown: '1x50 0 1x28' },
    at: 75,
  },
  {
    alert: 'PaywallProviderRefuses',
    fires: { paywall_provider_faults: '1x10' },
    keepsSilent: { paywall_provider_faults: '1x4 0 1x4' },
    at: 8,
  },
  {
    alert: 'PaywallRenewalsDeferred',
    fires: { paywall_renewals_deferred: '1x80' },
    keepsSilent: { paywall_renewals_deferred: '1x50 0 1x28' },
    at: 75,
  },
  {
    alert: 'PaywallMailsWait',
    fires: { paywall_mails_oldest_seconds: '601x10' },
    keepsSilent: { paywall_mails_oldest_seconds: '600x10' },
    at: 8,
  },
  {
    alert: 'PaywallWebhooksWait',
    fires: { paywall_webhooks_oldest_seconds: '3601x20' },
    keepsSilent: { paywall_webhooks_oldest_seconds: '3600x20' },
    at: 15,
  },
  {
    alert: 'PaywallStorePurchasesUnacknowledged',
    fires: { paywall_store_purchases_unacknowledged: '0 1x5' },
    keepsSilent: { paywall_store_purchases_unacknowledged: '0x5' },
    at: 1,
  },
];
