import { randomInt } from 'node:crypto';
import {
  bigint,
  boolean,
  char,
  defaulted,
  integer,
  modelOf,
  nullable,
  serial,
  text,
  time,
} from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

export class Voucher extends modelOf({
  id: serial(),
  merchantId: integer(),
  name: text(),
  /** The code in the merchant's spelling. Empty for a gift, whose code is stored encrypted. */
  code: text(),
  /** The form in which codes are compared. It is unique for a merchant. */
  canonicalCode: text(),
  /** The length of the generated part between prefix and suffix. */
  codeLength: integer(),
  prefix: defaulted(text()),
  suffix: defaulted(text()),
  discount: integer(),
  rebillDiscount: nullable(integer()),
  /** A fixed amount in `discountCurrency` instead of the percentage `discount`, which is then 0. */
  discountMinor: nullable(bigint()),
  rebillDiscountMinor: nullable(bigint()),
  discountCurrency: nullable(char(3)),
  discountPeriod: text<'once' | 'repeating' | 'forever'>(),
  discountDuration: nullable(integer()),
  usageLimit: nullable(integer()),
  usageLimitPerCustomer: nullable(integer()),
  newCustomersOnly: defaulted(boolean()),
  usageCounter: defaulted(integer()),
  /** Set if the voucher belongs to a batch. */
  batchId: nullable(integer()),
  startsAt: time(),
  endsAt: nullable(time()),
  isGift: defaulted(boolean()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
  deletedAt: nullable(time()),
}) {}
Voucher.init(Voucher.columns, { sequelize, tableName: 'vouchers' });

export type RuleType = 'assets' | 'packages' | 'access_fees' | 'emails';

/** A rule limits a voucher to one item, fee or account. */
export class VoucherRule extends modelOf({
  id: serial(),
  merchantId: integer(),
  voucherId: integer(),
  ruleType: text<RuleType>(),
  itemId: nullable(integer()),
  accessFeeId: nullable(integer()),
  accountId: nullable(integer()),
}) {}
VoucherRule.init(VoucherRule.columns, { sequelize, tableName: 'voucher_rules' });

/** 32 letters and digits that are easy to distinguish on paper. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

export function generateCode(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

/** The form in which codes are compared: upper case, with full-width letters as normal ones. */
export function canonicalCode(code: string): string {
  return code.trim().normalize('NFKC').toUpperCase();
}

/** A voucher that the merchant created, which excludes gifts. */
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

/** Returns the existing rule if there is one. */
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

/** The fields of a fee in a rule. */
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

/** The merchant's fees among the ids, on sale or not. */
export function listRuleFees(merchantId: number, ids: number[], inTransaction?: Transaction): Promise<RuleFee[]> {
  return ids.length === 0 ? Promise.resolve([]) : ruleFeesStatement([merchantId, ids], inTransaction);
}
