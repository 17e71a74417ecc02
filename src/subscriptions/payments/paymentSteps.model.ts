import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { type StoredMethod } from '../cards.model';

/** The fields of a payment's events and mails that are not in its row. */
export interface PaymentFacts {
  accountUuid: string;
  merchantUuid: string;
  email: string;
  description: string;
  previewTitle: string;
  /** Null if nothing was to pay. */
  method: StoredMethod | null;
  /** The account is erased, so no mail is sent. */
  isErased: boolean;
}

const factsStatement = statement<PaymentFacts>(
  'payment_event_facts',
  `SELECT a.uuid AS "accountUuid", a.merchant_uuid AS "merchantUuid", a.email, f.description,
     coalesce(m.value, i.title) AS "previewTitle", a.erased_at IS NOT NULL AS "isErased",
     (SELECT method FROM cards WHERE id = $3) AS method
   FROM accounts a
   JOIN access_fees f ON f.id = $2
   JOIN items i ON i.id = f.item_id
   LEFT JOIN item_metadata m ON m.item_id = i.id AND m.name = 'preview_title'
   WHERE a.id = $1`,
);

export async function getPaymentFacts(
  { accountId, accessFeeId, cardId = null }: { accountId: number; accessFeeId: number; cardId?: number | null },
  inTransaction: Transaction,
): Promise<PaymentFacts> {
  const [facts] = await factsStatement([accountId, accessFeeId, cardId], inTransaction);
  if (!facts) throw new Error(`there is no account ${accountId}, or no fee ${accessFeeId}`);
  return facts;
}
