import { type Transaction } from '../../../adapters/postgres/connection';
import { statement } from '../../../adapters/postgres/statement';
import { type AccessSource } from '../model';

/** An account of the merchant that can be given something: a consumer, or the merchant itself, to try it. */
export interface Receiver {
  id: number;
  uuid: string;
  merchantUuid: string;
}

/** Locked until the commit: nobody erases it meanwhile. */
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

/** A number for an entitlement that comes from no other row. */
export async function takeSourceId(inTransaction: Transaction): Promise<number> {
  const [row] = await sourceIdStatement([], inTransaction);
  if (!row) throw new Error('a sequence gave nothing');
  return row.id;
}

interface RevokedRow {
  account_id: number;
  item_id: number;
  source: AccessSource;
  source_id: number;
  revoked_at: Date;
}

const revokeStatement = statement<RevokedRow>(
  'access_revoke',
  `UPDATE accesses SET revoked_at = merchant_now(merchant_id), is_withdrawn = false
   WHERE id = $1 AND merchant_id = $2 AND (revoked_at IS NULL OR is_withdrawn) 
   RETURNING account_id, item_id, source, source_id, revoked_at`,
);

/** Undefined when it was revoked before, or is not the merchant's. */
export async function markRevoked(inTransaction: Transaction, merchantId: number, accessId: number) {
  const [row] = await revokeStatement([accessId, merchantId], inTransaction);
  return row;
}

/** How long a fee gives access. */
export interface FeeTerms {
  id: number;
  accessType: 'ppv' | 'ppv_custom' | 'subscription' | 'freemium';
  quantity: number;
  period: 'hour' | 'day' | 'week' | 'month' | 'year';
  expiresAt: Date | null;
  /** Of what is given while there is access: null is as `extend_same_item`. */
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
