import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';
import { type Period } from '../items/accessTypes.model';

/** An access fee, as far as store purchases need it. */
export interface MatchedFee {
  id: number;
  itemId: number;
  accessType: 'ppv' | 'ppv_custom' | 'subscription' | 'freemium';
  quantity: number;
  period: Period;
  amountMinor: number;
  currency: string;
  /** The fee is no longer sold. */
  isRetired: boolean;
}

const columns = `f.id, f.item_id AS "itemId", t.name AS "accessType", t.quantity, t.period,
  f.amount_minor AS "amountMinor", f.currency, f.retired_at IS NOT NULL AS "isRetired"`;

const feeStatement = statement<MatchedFee>(
  'store_fee',
  `SELECT ${columns} FROM access_fees f JOIN access_types t ON t.id = f.access_type_id
   WHERE f.merchant_id = $1 AND f.id = $2`,
);

export async function findFeeById(merchantId: number, feeId: number, inTransaction?: Transaction) {
  const [fee] = await feeStatement([merchantId, feeId], inTransaction);
  return fee;
}

// When the price of a fee changes, a new fee of the same item replaces it.
const successorStatement = statement<MatchedFee>(
  'store_fee_successor',
  `WITH RECURSIVE places AS (
     SELECT id, replaced_by FROM access_fees WHERE merchant_id = $1 AND id = $2
     UNION SELECT n.id, n.replaced_by FROM access_fees n JOIN places p ON n.id = p.replaced_by
   )
   SELECT ${columns} FROM access_fees f JOIN access_types t ON t.id = f.access_type_id
   WHERE f.id = (SELECT id FROM places WHERE replaced_by IS NULL)`,
);

/** The fee itself, or the last one that replaced it. */
export async function findSuccessor(merchantId: number, feeId: number, inTransaction?: Transaction) {
  const [fee] = await successorStatement([merchantId, feeId], inTransaction);
  return fee;
}

const namedStatement = statement<MatchedFee & { provider: number }>(
  'store_fees_named',
  `SELECT e.payment_provider_id AS provider, ${columns} FROM access_fees f JOIN access_types t ON t.id = f.access_type_id
   JOIN external_fees e ON e.access_fee_id = f.id WHERE e.merchant_id = $1 AND e.external_id = $2 ORDER BY f.id`,
);

/** The fees that are mapped to a store's product, each with its payment provider's number. */
export function listFeesNamed(merchantId: number, productId: string, inTransaction?: Transaction) {
  return namedStatement([merchantId, productId], inTransaction);
}

const hasNamesStatement = statement<{ hasNames: boolean }>(
  'store_fee_has_names',
  `SELECT EXISTS (SELECT FROM external_fees WHERE access_fee_id = $1) AS "hasNames"`,
);

export async function hasNames(feeId: number): Promise<boolean> {
  const [row] = await hasNamesStatement([feeId]);
  return row?.hasNames ?? false;
}

const retiredStatement = statement<{ isRetired: boolean }>(
  'store_name_retired',
  `SELECT EXISTS (SELECT FROM retired_external_fees WHERE merchant_id = $1 AND external_id = $2) AS "isRetired"`,
);

/** True if the name belonged to a fee that is no longer sold, or that no longer has this name. */
export async function isRetiredName(merchantId: number, productId: string): Promise<boolean> {
  const [row] = await retiredStatement([merchantId, productId]);
  return row?.isRetired ?? false;
}
