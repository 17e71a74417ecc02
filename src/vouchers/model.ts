import { randomInt } from 'node:crypto';
import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

export class Voucher extends Model<InferAttributes<Voucher>, InferCreationAttributes<Voucher>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare name: string;
  /** As the merchant wrote it; empty for a gift, whose code lies sealed. */
  declare code: string;
  /** What is compared, and unique among a merchant's vouchers. */
  declare canonicalCode: string;
  /** Of the part between prefix and suffix, where the code was generated. */
  declare codeLength: number;
  declare prefix: CreationOptional<string>;
  declare suffix: CreationOptional<string>;
  declare discount: number;
  declare rebillDiscount: CreationOptional<number | null>;
  declare discountPeriod: 'once' | 'repeating' | 'forever';
  declare discountDuration: CreationOptional<number | null>;
  declare usageLimit: CreationOptional<number | null>;
  declare usageCounter: CreationOptional<number>;
  declare startsAt: Date;
  declare endsAt: CreationOptional<Date | null>;
  declare isGift: CreationOptional<boolean>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  declare deletedAt: CreationOptional<Date | null>;
}

Voucher.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    name: DataTypes.TEXT,
    code: DataTypes.TEXT,
    canonicalCode: DataTypes.TEXT,
    codeLength: DataTypes.INTEGER,
    prefix: DataTypes.TEXT,
    suffix: DataTypes.TEXT,
    discount: DataTypes.INTEGER,
    rebillDiscount: DataTypes.INTEGER,
    discountPeriod: DataTypes.TEXT,
    discountDuration: DataTypes.INTEGER,
    usageLimit: DataTypes.INTEGER,
    usageCounter: DataTypes.INTEGER,
    startsAt: DataTypes.DATE,
    endsAt: DataTypes.DATE,
    isGift: DataTypes.BOOLEAN,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
    deletedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'vouchers' },
);

export type RuleType = 'assets' | 'packages' | 'access_fees' | 'emails';

/** What a voucher is limited to: one item, fee or account a rule. */
export class VoucherRule extends Model<InferAttributes<VoucherRule>, InferCreationAttributes<VoucherRule>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare voucherId: number;
  declare ruleType: RuleType;
  declare itemId: CreationOptional<number | null>;
  declare accessFeeId: CreationOptional<number | null>;
  declare accountId: CreationOptional<number | null>;
}

VoucherRule.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    voucherId: DataTypes.INTEGER,
    ruleType: DataTypes.TEXT,
    itemId: DataTypes.INTEGER,
    accessFeeId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
  },
  { sequelize, tableName: 'voucher_rules' },
);

/** 32 letters and digits of which no two look alike on paper. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export function generateCode(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** Two spellings of one code are one code: compared without case, and full-width letters like plain ones. */
export function canonicalCode(code: string): string {
  return code.trim().normalize('NFKC').toUpperCase();
}

/** A merchant's voucher that it made itself; a gift is none of those. */
export function findVoucher(merchantId: number, id: number, inTransaction?: Transaction): Promise<Voucher | null> {
  return Voucher.findOne({
    where: { id, merchantId, isGift: false, deletedAt: null },
    ...(inTransaction && { transaction: inTransaction, lock: inTransaction.LOCK.UPDATE }),
  });
}

const addRuleStatement = statement<{ id: number }>(
  'voucher_rule_add',
  `INSERT INTO voucher_rules AS r (merchant_id, voucher_id, rule_type, item_id, access_fee_id, account_id)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (voucher_id, rule_type, item_id, access_fee_id, account_id) DO UPDATE SET rule_type = r.rule_type
   RETURNING id`,
);

/** A rule that is there already is answered as it is. */
export async function addRule(
  inTransaction: Transaction,
  rule: { merchantId: number; voucherId: number; ruleType: RuleType; value: number },
): Promise<number> {
  const { merchantId, voucherId, ruleType, value } = rule;
  const target = (...types: RuleType[]) => (types.includes(ruleType) ? value : null);
  const targets = [target('assets', 'packages'), target('access_fees'), target('emails')];
  const [row] = await addRuleStatement([merchantId, voucherId, ruleType, ...targets], inTransaction);
  if (!row) throw new Error('a voucher rule was not returned');
  return row.id;
}

/** A fee as a rule shows it. */
export interface RuleFee {
  id: number;
  merchantId: number;
  itemId: number;
  itemType: string;
  amountMinor: number;
  currency: string;
  description: string;
  accessType: { id: number; name: string; quantity: number; period: string };
}

const ruleFeesStatement = statement<RuleFee>(
  'voucher_rule_fees',
  `SELECT f.id, f.merchant_id AS "merchantId", f.item_id AS "itemId", i.item_type AS "itemType",
     f.amount_minor AS "amountMinor", f.currency, f.description,
     json_build_object('id', t.id, 'name', t.name, 'quantity', t.quantity, 'period', t.period) AS "accessType"
   FROM access_fees f JOIN items i ON i.id = f.item_id JOIN access_types t ON t.id = f.access_type_id
   WHERE f.merchant_id = $1 AND f.id = ANY($2::int[])`,
);

/** Those of the merchant among the ids, for sale or not. */
export function listRuleFees(merchantId: number, ids: number[], inTransaction?: Transaction): Promise<RuleFee[]> {
  return ids.length === 0 ? Promise.resolve([]) : ruleFeesStatement([merchantId, ids], inTransaction);
}
