import { type Transaction } from '../../adapters/postgres/connection';
import { isHere } from '../../adapters/postgres/moving';
import { execute, statement } from '../../adapters/postgres/statement';
import { type DisputeNotice } from './providerNotifications.model';

/** A dispute without a decision. */
export interface UndecidedDispute {
  id: number;
  merchantId: number;
  provider: string;
  reference: string;
  chargeId: number;
  status: DisputeNotice['status'];
}

// The work is hourly. Half an hour less than a day keeps the hour of the look-up from moving.
const undecidedStatement = statement<UndecidedDispute>(
  'disputes_undecided',
  `SELECT d.id, d.merchant_id AS "merchantId", d.provider, d.reference, d.charge_id AS "chargeId", d.status
   FROM disputes d
   WHERE d.id > $1 AND d.status IN ('needs_response', 'under_review') AND ${isHere('d.merchant_id')}
     AND (d.looked_up_at IS NULL OR d.looked_up_at < now() - interval '23 hours 30 minutes')
   ORDER BY d.id LIMIT $2`,
);

/** The disputes that were not looked up today. */
export const listUndecided = (afterId: number, limit: number) => undecidedStatement([afterId, limit]);

export async function noteLookUp(inTransaction: Transaction, id: number): Promise<void> {
  await execute(inTransaction, 'UPDATE disputes SET looked_up_at = now() WHERE id = $1', [id]);
}
