import { type Transaction } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** A fee as a store's purchase opens it: retired ones too, since what was sold goes on. */
export interface MatchedFee {
  id: number;
  itemId: number;
  accessType: 'ppv' | 'ppv_custom' | 'subscription' | 'freemium';
  quantity: number;
  period: 'hour' | 'day' | 'week' | 'month' | 'year';
  amountMinor: number;
  currency: string;
}

const columns = `f.id, f.item_id AS "itemId", t.name AS "accessType", t.quantity, t.period,
  f.amount_minor AS "amountMinor", f.currency
  FROM access_fees f JOIN access_types t ON t.id = f.access_type_id`;

const feeStatement = statement<MatchedFee>('store_fee', `SELECT ${columns} WHERE f.merchant_id = $1 AND f.id = $2`);

export async function findFeeById(merchantId: number, feeId: number, inTransaction?: Transaction) {
  const [fee] = await feeStatement([merchantId, feeId], inTransaction);
  return fee;
}

const namedStatement = statement<MatchedFee & { provider: number }>(
  'store_fees_named',
  `SELECT e.payment_provider_id AS provider, ${columns} JOIN external_fees e ON e.access_fee_id = f.id
   WHERE e.merchant_id = $1 AND e.external_id = $2 ORDER BY f.id`,
);

/** The fees that a store's product is said to be, with the provider under which it is. */
export function listFeesNamed(merchantId: number, productId: string, inTransaction?: Transaction) {
  return namedStatement([merchantId, productId], inTransaction);
}

const hasNamesStatement = statement<{ hasNames: boolean }>(
  'store_fee_has_names',
  `SELECT EXISTS (SELECT FROM external_fees WHERE access_fee_id = $1) AS "hasNames"`,
);

export async function hasNames(feeId: number, inTransaction?: Transaction): Promise<boolean> {
  const [row] = await hasNamesStatement([feeId], inTransaction);
  return row?.hasNames ?? false;
}
