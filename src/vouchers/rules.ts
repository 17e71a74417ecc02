import { getAccountRow } from '../accounts/accounts';
import { requireRecentFactor } from '../accounts/secondFactors/recentFactors';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { getItemRow } from '../items/items';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { addRule, findVoucher, listRuleFees, type RuleType, type Voucher, VoucherRule } from './vouchers.model';
import { ruleTypes } from './vouchers.schemas';

/** Adds, removes and checks the rules that limit a voucher. */

export interface RuleInput {
  rule_type: RuleType;
  value: number;
}

/** Adds an item, a fee or an account to the rules of a voucher. */
export async function addVoucherRule(caller: Caller, voucherId: number, type: string, value: number) {
  const ruleType = ruleTypes.find((known) => known === type);
  if (!ruleType)
    throw new AppError('invalid_input', {
      errors: { rule_type: `The rule_type must be one of ${ruleTypes.join(', ')}.` },
    });
  if (!(await findVoucher(caller.merchantId, voucherId))) throw new AppError('voucher_not_found');
  await refuseForeignTargets(caller, [{ rule_type: ruleType, value }]);
  const ruleId = await transaction(async (inTransaction) => {
    const { merchantId } = await lockVoucher(caller, voucherId, inTransaction);
    const added = await addRule(inTransaction, { merchantId, voucherId, ruleType, value });
    await audit(inTransaction, caller, { action: 'voucher.update', object: ['voucher', voucherId] });
    return added;
  });
  return { ...message('Rule successfully added'), id: ruleId };
}

/** Removes a rule. A voucher without rules is valid for everything. */
export async function removeVoucherRule(caller: Caller, voucherId: number, ruleId: number) {
  const removed = await transaction(async (inTransaction) => {
    await lockVoucher(caller, voucherId, inTransaction);
    const count = await VoucherRule.destroy({ where: { id: ruleId, voucherId }, transaction: inTransaction });
    if (count > 0) await audit(inTransaction, caller, { action: 'voucher.update', object: ['voucher', voucherId] });
    return count;
  });
  if (removed === 0) throw new AppError('voucher_rule_not_found');
  return message('Rule successfully removed');
}

/** Locks the merchant's voucher against uses and changes. */
export async function lockVoucher(caller: Caller, id: number, inTransaction: Transaction): Promise<Voucher> {
  const voucher = await findVoucher(caller.merchantId, id, inTransaction);
  if (!voucher) throw new AppError('voucher_not_found');
  return voucher;
}

export async function addRules(
  inTransaction: Transaction,
  { merchantId, id }: Voucher,
  rules: RuleInput[],
): Promise<void> {
  for (const { rule_type: ruleType, value } of rules)
    await addRule(inTransaction, { merchantId, voucherId: id, ruleType, value });
}

/** Replaces the rules of a locked voucher. A rule that is not sent again is deleted, so it needs the same confirmation. */
export async function replaceRules(
  inTransaction: Transaction,
  caller: Caller,
  voucher: Voucher,
  rules: RuleInput[],
): Promise<void> {
  const where = { voucherId: voucher.id };
  const stored = await VoucherRule.findAll({ where, transaction: inTransaction });
  const isSent = ({ ruleType, itemId, accessFeeId, accountId }: VoucherRule) =>
    rules.some((rule) => rule.rule_type === ruleType && rule.value === (itemId ?? accessFeeId ?? accountId));
  if (!stored.every(isSent)) await requireRecentFactor(caller, inTransaction);
  await VoucherRule.destroy({ where, transaction: inTransaction });
  await addRules(inTransaction, voucher, rules);
}

/** Refuses a rule whose target belongs to another merchant or has another type. */
export async function refuseForeignTargets({ merchantId }: Caller, rules: RuleInput[]): Promise<void> {
  for (const { rule_type: ruleType, value } of rules) {
    if (ruleType === 'access_fees') await refuseForeignFee(merchantId, value);
    else if (ruleType === 'emails') await refuseForeignAccount(merchantId, value);
    else {
      const { itemType } = await getItemRow(merchantId, value);
      if ((itemType === 'package') !== (ruleType === 'packages')) throw new AppError('item_not_found');
    }
  }
}

async function refuseForeignFee(merchantId: number, feeId: number): Promise<void> {
  if ((await listRuleFees(merchantId, [feeId])).length === 0) throw new AppError('access_fee_not_found');
}

async function refuseForeignAccount(merchantId: number, accountId: number): Promise<void> {
  const account = await getAccountRow(accountId).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  if (account?.merchantId !== merchantId) throw new AppError('account_does_not_exist');
}
