import { type Transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { recordTrial } from '../entitlements/trials';

/** A request for a trial: the account, the card and the subscription. */
export interface TrialRequest {
  merchantId: number;
  accountId: number;
  itemId: number;
  cardId: number | null;
  /** The subscription's token. */
  subject: string;
}

/** Uses the item's trial. False if the account, its mailbox or the card has already used it. */
export async function takeTrial(inTransaction: Transaction, { cardId, ...of }: TrialRequest): Promise<boolean> {
  const [card] = await execute<{ fingerprint: string }>(
    inTransaction,
    'SELECT fingerprint FROM cards WHERE id = $1 AND merchant_id = $2',
    [cardId, of.merchantId],
  );
  return recordTrial(inTransaction, { ...of, cardFingerprint: card?.fingerprint });
}
