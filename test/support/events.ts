import { randomUUID } from 'node:crypto';
import { type Transaction } from '../../src/adapters/postgres/connection';
import { type Person } from './factories';

/**
 * Publishes as the product does: one transaction with an event for each item. `before`
 * runs inside it, after the events are written and before the commit.
 */
export async function publishEvents(
  person: Person,
  merchantId: number,
  itemIds: number[],
  before: (transaction: Transaction) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const { transaction } = await import('../../src/adapters/postgres/connection.js');
  const { publish } = await import('../../src/notifications/publish.js');
  await transaction(async (inTransaction) => {
    const events = itemIds.map((itemId) => ({
      type: 'access.revoked' as const,
      accountId: person.id,
      dedupeKey: randomUUID(),
      resource: { item_id: itemId },
    }));
    await publish(inTransaction, merchantId, events);
    await before(inTransaction);
  });
}

export const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => from + index);
