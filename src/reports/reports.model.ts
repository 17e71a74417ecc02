import { reportQuery } from '../adapters/postgres/reports';

/** The names of the keys of a dimension: titles of items, descriptions of fees. */
export function selectLabels(merchantId: number, dimension: 'item' | 'fee', ids: number[]) {
  const text =
    dimension === 'item'
      ? 'SELECT id, title AS label FROM items WHERE merchant_id = $1 AND id = ANY($2)'
      : `SELECT f.id, concat_ws(' · ', i.title, nullif(f.description, '')) AS label FROM access_fees f
         JOIN items i ON i.id = f.item_id WHERE f.merchant_id = $1 AND f.id = ANY($2)`;
  return reportQuery<{ id: number; label: string }>(text, [merchantId, ids]);
}
