import { type Change } from '../../workflows/messages';

/**
 * Stores a change of a subscription in its row, as of a time in milliseconds. The relay sends it some seconds later. With
 * `isUnsent` only the row knows it, as when Temporal is away.
 */
export async function storeChange(
  token: string,
  change: Change,
  atMs: number,
  { isUnsent = false } = {},
): Promise<void> {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { storeRequest } = await import('../../src/subscriptions/changes/requests.js');
  const { addRequest } = await import('../../src/subscriptions/changes/requests.model.js');
  const { Subscription } = await import('../../src/subscriptions/subscriptions.model.js');
  await transaction(async (inTransaction) => {
    const row = await Subscription.findOne({ where: { token }, rejectOnEmpty: true, transaction: inTransaction });
    const actor = { accountId: row.accountId, requestId: 'stored' };
    const request = { id: `${change.kind}:${atMs}`, ...change, atMs, aheadMs: 0, actor };
    await (isUnsent ? addRequest(inTransaction, row.id, request) : storeRequest(inTransaction, row, request));
  });
}
