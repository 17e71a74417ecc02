import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type StoredRequest } from '../subscriptions.model';

/** The changes in a subscription's row that wait for its run. */

const without = `(SELECT coalesce(jsonb_agg(r.request ORDER BY r.place) FILTER (WHERE r.request->>'id' <> $2), '[]')
  FROM jsonb_array_elements(requests) WITH ORDINALITY AS r (request, place))`;

const addStatement = statement(
  'subscription_request_add',
  `UPDATE subscriptions SET requests = ${without} || $3::jsonb WHERE id = $1 AND ended_at IS NULL`,
);

/** A repeated request replaces the stored one. A subscription that has ended stores none. */
export async function addRequest(
  inTransaction: Transaction,
  subscriptionId: number,
  request: StoredRequest,
): Promise<void> {
  await addStatement([subscriptionId, request.id, JSON.stringify(request)], inTransaction);
}

const closeStatement = statement(
  'subscription_request_close',
  `UPDATE subscriptions SET requests = ${without} WHERE id = $1 AND requests <> '[]'`,
);

export async function deleteRequest(subscriptionId: number, id: string): Promise<void> {
  await closeStatement([subscriptionId, id]);
}
