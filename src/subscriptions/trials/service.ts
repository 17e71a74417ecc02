import { type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { recordTrial } from '../../items/access/trials/service';

/** Who asks for a trial, with which card, for which subscription. */
export interface TrialRequest {
  merchantId: number;
  accountId: number;
  itemId: number;
  cardId: number | null;
  /** The subscription's token. */
  subject: string;
}

/** Takes the item's free time: false when the account, its mailbox or the card has had it before (subscriptions 6). */
export async function takeTrial(inTransaction: Transaction, { cardId, ...of }: TrialRequest): Promise<boolean> {
  const [card] = await execute<{ fingerprint: string }>(
    inTransaction,
    'SELECT fingerprint FROM cards WHERE id = $1 AND merchant_id = $2',
    [cardId, of.merchantId],
  );
  return recordTrial(inTransaction, { ...of, cardFingerprint: card?.fingerprint });
}
