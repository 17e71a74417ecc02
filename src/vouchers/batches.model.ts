import { defaulted, integer, modelOf, serial, text, time } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';

export class VoucherBatch extends modelOf({
  id: serial(),
  merchantId: integer(),
  name: text(),
  prefix: text(),
  suffix: text(),
  codeCount: integer(),
  createdAt: defaulted(time()),
}) {}
VoucherBatch.init(VoucherBatch.columns, { sequelize, tableName: 'voucher_batches', updatedAt: false });

/** A code, and its canonical form, in which codes are compared. */
export interface Code {
  code: string;
  canonical: string;
}

/** The columns that have the same value in all vouchers of a batch, by name. */
export type CommonColumns = Record<string, string | number | boolean | Date | null>;

/**
 * Inserts all codes in one statement, except codes that the merchant already has. Returns the number of inserted rows.
 */
export async function insertVouchers(
  common: CommonColumns,
  codes: readonly Code[],
  inTransaction: Transaction,
): Promise<number> {
  const names = Object.keys(common);
  const text = `
    WITH written AS (
      INSERT INTO vouchers (code, canonical_code, ${names.join(', ')})
      SELECT sent.code, sent.canonical, ${names.map((_, index) => `$${index + 3}`).join(', ')}
      FROM unnest($1::text[], $2::text[]) AS sent (code, canonical)
      ON CONFLICT (merchant_id, canonical_code) WHERE deleted_at IS NULL DO NOTHING
      RETURNING id
    )
    SELECT count(*)::int AS count FROM written`;
  const sent = [codes.map(({ code }) => code), codes.map(({ canonical }) => canonical)];
  const [written] = await execute<{ count: number }>(inTransaction, text, [...sent, ...Object.values(common)]);
  return written?.count ?? 0;
}

/** The columns of a rule. One of the three ids is set. */
export interface RuleColumns {
  ruleType: string;
  itemId: number | null;
  accessFeeId: number | null;
  accountId: number | null;
}

export async function addRulesToBatch(
  { merchantId, id }: VoucherBatch,
  rules: readonly RuleColumns[],
  inTransaction: Transaction,
): Promise<void> {
  for (const { ruleType, itemId, accessFeeId, accountId } of rules)
    await execute(
      inTransaction,
      `INSERT INTO voucher_rules (merchant_id, voucher_id, rule_type, item_id, access_fee_id, account_id)
       SELECT merchant_id, id, $3, $4::int, $5::int, $6::int FROM vouchers WHERE merchant_id = $1 AND batch_id = $2
       ON CONFLICT (voucher_id, rule_type, item_id, access_fee_id, account_id) DO NOTHING`,
      [merchantId, id, ruleType, itemId, accessFeeId, accountId],
    );
}

const usesStatement = statement<{ id: number; uses: number }>(
  'voucher_batch_uses',
  `SELECT batch_id AS id, sum(usage_counter)::int AS uses FROM vouchers WHERE batch_id = ANY($1::int[]) GROUP BY batch_id`,
);

/** The number of uses of each batch. */
export async function countUses(batchIds: number[]): Promise<ReadonlyMap<number, number>> {
  const rows = batchIds.length === 0 ? [] : await usesStatement([batchIds]);
  return new Map(rows.map(({ id, uses }) => [id, uses]));
}

const takenStatement = statement<{ canonical: string }>(
  'voucher_codes_taken',
  `SELECT canonical_code AS canonical FROM vouchers
   WHERE merchant_id = $1 AND canonical_code = ANY($2::text[]) AND deleted_at IS NULL`,
);

/** The canonical codes that the merchant already has. */
export async function listTaken(
  merchantId: number,
  canonical: string[],
  inTransaction: Transaction,
): Promise<string[]> {
  return (await takenStatement([merchantId, canonical], inTransaction)).map((row) => row.canonical);
}
