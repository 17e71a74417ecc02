import { statement } from '../adapters/postgres/statement';

/** The webhooks of a merchant that need attention. */
export interface WebhookFaults {
  /** Webhooks that the program has turned off. */
  disabled: number;
  /** Replaced secrets that still sign. They end within a day. */
  endingSecrets: number;
  /** Events of the last days that were given up, of webhooks that are on. */
  givenUp: number;
  /** The webhook of these events. Null if there are several, or none. */
  givenUpBy: number | null;
}

const faultsStatement = statement<WebhookFaults>(
  'webhook_faults',
  `WITH own AS (
     SELECT id, is_enabled, disabled_reason, previous_secret_ends_at FROM webhook_endpoints WHERE merchant_id = $1
   ), failed AS (
     SELECT count(*)::int AS count, min(d.endpoint_id) AS lowest, max(d.endpoint_id) AS highest
     FROM webhook_deliveries d JOIN own ON own.id = d.endpoint_id AND own.is_enabled
     WHERE d.merchant_id = $1 AND d.state = 'failed' AND d.settled_at > now() - make_interval(days => $2)
       AND d.sequence IS NOT NULL
   )
   SELECT (SELECT count(*)::int FROM own WHERE disabled_reason IN ('failing', 'gone')) AS disabled,
     (SELECT count(*)::int FROM own WHERE is_enabled AND previous_secret_ends_at > now()) AS "endingSecrets",
     failed.count AS "givenUp", CASE WHEN lowest = highest THEN lowest END AS "givenUpBy"
   FROM failed`,
);

/** `days`: how old the given up events are at most. */
export async function findWebhookFaults(merchantId: number, days: number): Promise<WebhookFaults> {
  const [faults] = await faultsStatement([merchantId, days]);
  if (!faults) throw new Error('the faults of webhooks were not read');
  return faults;
}
