import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type StoredRequest } from '../subscriptions.model';

/** The changes in a subscription's row that wait for its run. */

const addStatement = statement(
  'subscription_request_add',
  `UPDATE subscriptions SET
     next_due_at = CASE WHEN state = 'incomplete' THEN next_due_at ELSE least(next_due_at, merchant_now(merchant_id)) END,
     requests = CASE WHEN requests @> jsonb_build_array(jsonb_build_object('id', $2::text)) THEN requests
       ELSE requests || $3::jsonb END
   WHERE id = $1 AND ended_at IS NULL`,
);

/**
 * A repeated request keeps its place. The row is due until its run has decided on the request, so that a missing run is
 * started soon; before the first payment, the run decides on nothing. A subscription that has ended stores no request.
 */
export async function addRequest(
  inTransaction: Transaction,
  subscriptionId: number,
  request: StoredRequest,
): Promise<void> {
  await addStatement([subscriptionId, request.id, JSON.stringify(request)], inTransaction);
}

const madeStatement = statement<{ isMade: boolean }>(
  'subscription_change_made',
  `SELECT EXISTS (SELECT FROM subscription_events e JOIN subscriptions s ON s.id = e.subscription_id
     WHERE s.token = $1 AND e.change_id = $2 AND e.recorded_at > now() - interval '1 day') AS "isMade"`,
);

/**
 * Whether a change with this id was made within a day of the service's time. The history keeps it after Temporal's store is
 * lost.
 */
export async function isMade(token: string, changeId: string): Promise<boolean> {
  const [row] = await madeStatement([token, changeId]);
  return row?.isMade ?? false;
}

const hasStatement = statement<{ hasRequests: boolean }>(
  'subscription_has_requests',
  `SELECT requests <> '[]' AS "hasRequests" FROM subscriptions WHERE token = $1`,
);

export async function hasRequests(token: string): Promise<boolean> {
  const [row] = await hasStatement([token]);
  return row?.hasRequests ?? false;
}
