import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type Period } from '../items/accessTypes.model';

/** An account that can receive a grant: a consumer, or the merchant itself for tests. */
export interface Receiver {
  id: number;
  uuid: string;
  merchantUuid: string;
}

/** Locks the account until the commit, so that it is not erased in parallel. */
const receiverStatement = statement<Receiver>(
  'grant_receiver',
  `SELECT id, uuid, merchant_uuid AS "merchantUuid" FROM accounts
   WHERE id = $1 AND merchant_id = $2 AND is_active FOR NO KEY UPDATE`,
);

export async function lockReceiver(inTransaction: Transaction, merchantId: number, accountId: number) {
  const [receiver] = await receiverStatement([accountId, merchantId], inTransaction);
  return receiver;
}

const sourceIdStatement = statement<{ id: number }>(
  'access_source_id',
  `SELECT nextval('access_source_ids')::int AS id`,
);

/** An id for an entitlement whose source has no row of its own. */
export async function takeSourceId(inTransaction: Transaction): Promise<number> {
  const [row] = await sourceIdStatement([], inTransaction);
  if (!row) throw new Error('a sequence gave nothing');
  return row.id;
}

/** The duration of a fee's access. */
export interface FeeTerms {
  id: number;
  accessType: 'ppv' | 'ppv_custom' | 'subscription' | 'freemium';
  quantity: number;
  period: Period;
  expiresAt: Date | null;
  /** The rule for a receiver who has access already; null means `extend_same_item`. */
  whenOwned: 'start_now' | 'extend_current' | 'extend_same_item' | null;
}

const termsStatement = statement<FeeTerms>(
  'grant_fee_terms',
  `SELECT f.id, t.name AS "accessType", t.quantity, t.period, f.expires_at AS "expiresAt",
     f.when_owned AS "whenOwned"
   FROM access_fees f JOIN access_types t ON t.id = f.access_type_id
   WHERE f.id = $1 AND f.merchant_id = $2 AND f.item_id = $3`,
);

/** A fee of the item, on sale or not. */
export async function findFeeTerms(merchantId: number, itemId: number, feeId: number): Promise<FeeTerms | undefined> {
  const [terms] = await termsStatement([feeId, merchantId, itemId]);
  return terms;
}
