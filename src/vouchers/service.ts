import { Op, type WhereOptions } from 'sequelize';
import { type z } from 'zod';
import { now } from '../adapters/clock';
import { transaction, violatedConstraint, type Transaction } from '../adapters/postgres/connection';
import { findPage } from '../adapters/postgres/totals';
import { describeItems } from '../items/service';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { readId } from '../kit/form';
import { message, pageRange } from '../kit/page';
import { discountedCharges } from '../subscriptions/billing/discounts';
import { toMajor } from '../subscriptions/billing/money';
import { canonicalCode, findVoucher, generateCode, listRuleFees, Voucher, VoucherRule } from './model';
import { presentVoucher, type Named } from './presenter';
import { type VoucherBody, type VoucherChange, type VoucherQuery } from './schemas';
import { addRules, lockVoucher, refuseForeignTargets, type RuleInput } from './rules/service';
import { giftKey } from './uses/service';

type VoucherInput = z.output<typeof VoucherBody>;
type ChangeInput = z.output<typeof VoucherChange>;
const defaultLength = 8;
/** A generated code that is taken is generated again, so often. Only very short codes are taken that often. */
const triesMax = 50;

/** A voucher with the code that was sent, or one that nobody can guess. */
export async function createVoucher(caller: Caller, input: VoucherInput) {
  const { merchantId } = caller;
  const terms = termsOf(input);
  refuseContradiction(terms);
  const rules = input.rules ?? [];
  await refuseForeignTargets(caller, rules);
  const { code, length: codeLength = defaultLength, prefix = '', suffix = '' } = input;
  const coded = { merchantId, codeLength, prefix, suffix, ...terms };
  const insert = (code: string) =>
    transaction(async (inTransaction) => {
      await refuseCodeOfGift(inTransaction, caller, code);
      const row = { ...coded, code, canonicalCode: canonicalCode(code) };
      const voucher = await Voucher.create(row, { transaction: inTransaction, returning: true });
      await addRules(inTransaction, voucher, rules);
      return voucher;
    });
  if (code !== undefined) return describe(caller, await refusingTakenCode(() => insert(code)));
  for (let time = 1; time <= triesMax; time += 1) {
    const voucher = await insert(prefix + generateCode(codeLength) + suffix).catch(undefinedIfTaken);
    if (voucher) return describe(caller, voucher);
  }
  throw new AppError('voucher_code_taken', { explain: `Nearly every code of length ${codeLength} is taken.` });
}

/** Newest first. Several search terms must all hold. */
export async function listVouchers(caller: Caller, query: z.output<typeof VoucherQuery>) {
  const { page, limit, offset } = pageRange(query);
  const where = wantedOf(caller, query.search);
  const key = `vouchers ${JSON.stringify([caller.merchantId, query.search])}`;
  const { rows, total } = await findPage(Voucher, key, { where, order: [['id', 'DESC']], limit, offset });
  return { total, page, offset, limit, collection: await describeAll(caller, rows) };
}

export async function getVoucher(caller: Caller, id: number) {
  const voucher = await findVoucher(caller.merchantId, id);
  if (!voucher) throw new AppError('voucher_not_found');
  return describe(caller, voucher);
}

/**
 * Replaces a voucher's terms: what is not sent is as in a new one. The code, and what is told of its parts, stays until
 * another is sent, and the rules until a list is. What was bought with the voucher keeps the terms of then.
 */
export async function updateVoucher(caller: Caller, id: number, input: VoucherInput) {
  await refuseForeignTargets(caller, input.rules ?? []);
  return change(caller, id, () => termsOf(input), input);
}

/** Changes what is sent and nothing else. */
export async function patchVoucher(caller: Caller, id: number, input: ChangeInput) {
  const merged = (voucher: Voucher) =>
    termsOf({
      name: input.name ?? voucher.name,
      discount: input.discount ?? voucher.discount,
      start_date: input.start_date ?? voucher.startsAt,
      rebill_discount: input.rebill_discount ?? voucher.rebillDiscount ?? undefined,
      end_date: input.end_date ?? voucher.endsAt ?? undefined,
      usage_limit: input.usage_limit ?? voucher.usageLimit ?? undefined,
      discount_period: input.discount_period ?? voucher.discountPeriod,
      discount_duration: input.discount_duration ?? voucher.discountDuration ?? undefined,
    });
  return change(caller, id, merged, input);
}

/** Nobody can use it any more; what was bought with it stays as it is, and so do uses that are reserved. */
export async function deleteVoucher(caller: Caller, id: number) {
  await transaction(async (inTransaction) => {
    const voucher = await lockVoucher(caller, id, inTransaction);
    await voucher.update({ deletedAt: now() }, { transaction: inTransaction });
  });
  return message('Voucher successfully deleted');
}

type Terms = Pick<Voucher, 'name' | 'discount' | 'discountPeriod' | 'startsAt'> & {
  rebillDiscount: number | null;
  discountDuration: number | null;
  usageLimit: number | null;
  endsAt: Date | null;
};

type TermFields = Omit<VoucherInput, 'code' | 'length' | 'prefix' | 'suffix' | 'rules'>;

/** A duration means something with `repeating` only; with the others it is left out. */
function termsOf(input: TermFields): Terms {
  const discountPeriod = input.discount_period ?? 'once';
  return {
    name: input.name,
    discount: input.discount,
    discountPeriod,
    startsAt: input.start_date,
    endsAt: input.end_date ?? null,
    rebillDiscount: input.rebill_discount ?? null,
    discountDuration: discountPeriod === 'repeating' ? (input.discount_duration ?? null) : null,
    usageLimit: input.usage_limit ?? null,
  };
}

/** What no field can tell alone. `uses`: how many of the limit are taken. */
function refuseContradiction(terms: Terms, uses = 0): void {
  const errors: Record<string, string> = {};
  if (terms.endsAt && terms.endsAt <= terms.startsAt) errors['end_date'] = 'The end_date must be after the start_date.';
  if (terms.discountPeriod === 'repeating' && terms.discountDuration === null)
    errors['discount_duration'] = 'The discount_duration must not be empty when the discount_period is repeating.';
  if (terms.usageLimit !== null && terms.usageLimit < uses)
    errors['usage_limit'] = `The usage_limit must be at least ${uses}, the uses so far.`;
  if (Object.keys(errors).length > 0) throw new AppError('invalid_input', { errors });
}

type CodeInput = Partial<Pick<VoucherInput, 'code' | 'length' | 'prefix' | 'suffix'>>;

/** The voucher is locked meanwhile, so that no use is taken beyond a limit that is just being lowered. */
async function change(
  caller: Caller,
  id: number,
  newTerms: (voucher: Voucher) => Terms,
  { code, rules, ...parts }: CodeInput & { rules?: RuleInput[] | undefined },
) {
  const save = async (inTransaction: Transaction) => {
    const voucher = await lockVoucher(caller, id, inTransaction);
    const terms = newTerms(voucher);
    refuseContradiction(terms, voucher.usageCounter);
    // Parts tell of a code: those of another than the one that stays are not taken.
    const coded = code !== undefined && {
      codeLength: parts.length ?? voucher.codeLength,
      prefix: parts.prefix ?? voucher.prefix,
      suffix: parts.suffix ?? voucher.suffix,
      code,
      canonicalCode: canonicalCode(code),
    };
    if (code !== undefined) await refuseCodeOfGift(inTransaction, caller, code);
    await voucher.update({ ...terms, ...coded, updatedAt: now() }, { transaction: inTransaction });
    if (rules) {
      await VoucherRule.destroy({ where: { voucherId: id }, transaction: inTransaction });
      await addRules(inTransaction, voucher, rules);
    }
    return voucher;
  };
  return describe(caller, await refusingTakenCode(() => transaction(save)));
}

/** The same list from the one after an id on: for who reads all of it. */
export function readVouchersAfter(caller: Caller, search: string[] | undefined, limit: number, after?: number) {
  const where = { [Op.and]: [wantedOf(caller, search), after === undefined ? {} : { id: { [Op.lt]: after } }] };
  return Voucher.findAll({ where, order: [['id', 'DESC']], limit });
}

function wantedOf({ merchantId }: Caller, search: string[] = []): WhereOptions<Voucher> {
  return { [Op.and]: [{ merchantId, isGift: false, deletedAt: null }, ...search.map(conditionOf)] };
}

/** One `key:value` of a search. */
function conditionOf(term: string): WhereOptions<Voucher> {
  const key = term.slice(0, term.indexOf(':'));
  const value = term.slice(key.length + 1).trim();
  const escaped = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&');
  if (key === 'name') return { name: { [Op.iLike]: `%${escaped(value)}%` } };
  if (key === 'code') return { canonicalCode: { [Op.like]: `${escaped(canonicalCode(value))}%` } };
  if (key === 'discount_period') return { discountPeriod: value };
  // No value at all where it cannot be one: finds nothing, as an unknown one does.
  return { id: readId(value) ?? [] };
}

async function describe(caller: Caller, voucher: Voucher) {
  const [described] = await describeAll(caller, [voucher]);
  if (!described) throw new Error('a voucher was not described');
  return described;
}

async function describeAll(caller: Caller, vouchers: Voucher[]) {
  const where = { voucherId: vouchers.map(({ id }) => id) };
  const rules = await VoucherRule.findAll({ where, order: [['id', 'ASC']] });
  const named = await readNamed(caller, rules);
  return vouchers.map((row) => {
    const { id, discountPeriod: period, discountDuration: duration } = row;
    const own = rules.filter(({ voucherId }) => voucherId === id);
    return presentVoucher({ row, rules: own, discountedCharges: discountedCharges({ period, duration }) }, named);
  });
}

/** Items and fees that rules name, in one statement each, however many they are. */
async function readNamed(caller: Caller, rules: VoucherRule[]): Promise<Named> {
  const itemIds = [...new Set(rules.flatMap(({ itemId }) => itemId ?? []))];
  const feeIds = [...new Set(rules.flatMap(({ accessFeeId }) => accessFeeId ?? []))];
  const fees = await listRuleFees(caller.merchantId, feeIds);
  return {
    assets: await describeItems(caller, itemIds),
    fees: new Map(fees.map((fee) => [fee.id, { ...fee, amount: toMajor(fee.amountMinor, fee.currency) }])),
  };
}

/** Of two vouchers that one code means, nobody could tell which is wanted. A gift's code lies under another key. */
async function refuseCodeOfGift(inTransaction: Transaction, { merchantId }: Caller, code: string): Promise<void> {
  const where = { merchantId, canonicalCode: giftKey(code), deletedAt: null };
  const gifts = await Voucher.count({ where, transaction: inTransaction });
  if (gifts > 0) throw new AppError('voucher_code_taken');
}

async function refusingTakenCode<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    undefinedIfTaken(error);
    throw new AppError('voucher_code_taken');
  }
}

/** Passes on what is no taken code. */
function undefinedIfTaken(error: unknown): undefined {
  const isOfGift = error instanceof AppError && error.code === 'voucher_code_taken';
  if (!isOfGift && violatedConstraint(error) !== 'vouchers_code') throw error;
}
