import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** Extended access, with the columns that describe it. */
export interface ExtendedAccess {
  id: number;
  itemId: number;
  ipAddress: string;
  createdAt: Date;
  startsAt: Date;
  expiresAt: Date;
}

const extendStatement = statement<ExtendedAccess>(
  'access_extend',
  `UPDATE accesses SET original_expires_at = coalesce(original_expires_at, expires_at), expires_at = $2 WHERE id = $1
   RETURNING id, item_id AS "itemId", ip_address AS "ipAddress", created_at AS "createdAt", starts_at AS "startsAt",
     expires_at AS "expiresAt"`,
);

export async function setEnd(inTransaction: Transaction, accessId: number, endsAt: Date): Promise<ExtendedAccess> {
  const [access] = await extendStatement([accessId, endsAt], inTransaction);
  if (!access) throw new Error('extended access was not returned');
  return access;
}

const stretchStatement = statement('access_stretch_revenue', 'SELECT stretch_revenue($1, $2, $3)');

/** Spreads the revenue of the payment that bought the access over more days. */
export async function stretchRevenue(
  inTransaction: Transaction,
  { merchantId, paymentId, days }: { merchantId: number; paymentId: number; days: number },
): Promise<void> {
  await stretchStatement([merchantId, paymentId, days], inTransaction);
}
