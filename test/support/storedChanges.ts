import { type Change } from '../../workflows/messages';

/** Stores a change of a subscription in its row, as of a time in milliseconds. The relay sends it some seconds later. */
export async function storeChange(token: string, change: Change, atMs: number): Promise<void> {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { storeRequest } = await import('../../src/subscriptions/changes/requests.js');
  const { Subscription } = await import('../../src/subscriptions/subscriptions.model.js');
  await transaction(async (inTransaction) => {
    const row = await Subscription.findOne({ where: { token }, rejectOnEmpty: true, transaction: inTransaction });
    const actor = { accountId: row.accountId, requestId: 'stored' };
    await storeRequest(inTransaction, row, { id: `${change.kind}:${atMs}`, ...change, atMs, aheadMs: 0, actor });
  });
}
