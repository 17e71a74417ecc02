/** The state of a subscription, as a run reads it from the row. */
export async function readSnapshot(subscriptionId: number) {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { lockSubscription, toSnapshot: standingOf } = await import('../../src/subscriptions/lifecycle/steps.js');
  return transaction(async (inTransaction) => standingOf(await lockSubscription(subscriptionId, inTransaction)));
}
