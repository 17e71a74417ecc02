import { refuseMoving } from '../../accounts/merchants/states';
import { type UpdatedCard } from '../../adapters/cardProviders/notifications';
import { merchantTime } from '../../adapters/clock';
import { type OutboxRow } from '../../adapters/outbox';
import { type Transaction } from '../../adapters/postgres/connection';
import { lockOverdue, writeUpdatedCard } from '../cards.model';
import { storeRequest } from '../changes/requests';
import { Subscription } from '../subscriptions.model';

/** The account whose card was updated: of the merchant, or of the installation if there is none. */
interface CardNotice {
  /** The provider's id of the notification. */
  id: string;
  provider: string;
  merchantId?: number | undefined;
}

/**
 * Saves the data of a card that its bank has replaced. Subscriptions that are overdue with the card are charged again.
 * The customer does not enter the new card.
 */
export async function followCardUpdate(
  inTransaction: Transaction,
  card: UpdatedCard,
  { id, provider, merchantId: ownerId }: CardNotice,
): Promise<OutboxRow[]> {
  const found = { ...card, provider, merchantId: ownerId };
  const overdueIds = await lockOverdue(inTransaction, found);
  const updated = await writeUpdatedCard(inTransaction, found);
  const [merchantId] = await refuseMoving(
    updated.map((one) => one.merchantId),
    inTransaction,
  );
  if (merchantId === undefined) return [];
  const where = { merchantId, id: overdueIds };
  const overdue = await Subscription.findAll({ where, order: [['id', 'ASC']], transaction: inTransaction });
  if (overdue.length === 0) return [];
  const time = await merchantTime(merchantId, inTransaction);
  const change = { id: `cardUpdate:${id}`, ...time, kind: 'retry' } as const;
  // Reports use the id of the request to find the measure that recovered a payment.
  const actor = { accountId: merchantId, requestId: change.id, audited: 'subscription.retry' } as const;
  const queued: OutboxRow[] = [];
  for (const row of overdue) queued.push(await storeRequest(inTransaction, row, { ...change, actor }));
  return queued;
}
