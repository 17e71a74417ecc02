import { Op, type WhereOptions } from 'sequelize';
import { type z } from 'zod';
import { now } from '../adapters/clock';
import { nameOrder } from '../adapters/postgres/nameOrder';
import { transaction, violatedConstraint, type Transaction } from '../adapters/postgres/connection';
import { findSortedPage, readSorted } from '../adapters/postgres/sorting';
import { describeItems } from '../items/items';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { shownParts } from '../kit/csv';
import { AppError } from '../kit/errors';
import { readId } from '../kit/form';
import { cursorRange, message } from '../kit/page';
import { rowOrder, type Sort } from '../kit/sorting';
import { discountedCharges } from '../billing/discounts';
import { toMajor } from '../billing/money';
import { canonicalCode, findVoucher, generateCode, listRuleFees, Voucher, VoucherRule } from './vouchers.model';
import { presentVoucher, type Named } from './vouchers.presenter';
import { type VoucherBody, type VoucherChange, type VoucherQuery, type voucherSorts } from './vouchers.schemas';
import { addRules, lockVoucher, refuseForeignTargets, replaceRules, type RuleInput } from './rules';
import { changedFields, presentAmounts, refuseContradiction, termsOf, type Terms } from './terms';
import { giftKey } from './uses';

type VoucherInput = z.output<typeof VoucherBody>;
type ChangeInput = z.output<typeof VoucherChange>;
const defaultLength = 8;
/** The maximum number of times that a taken code is generated again. Only very short codes reach this limit. */
const triesMax = 50;

/** Creates a voucher with the given code, or with a generated code that cannot be guessed. */
export async function createVoucher(caller: Caller, input: VoucherInput, requestId?: string) {
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
      await audit(inTransaction, caller, { action: 'voucher.create', object: ['voucher', voucher.id], requestId });
      return voucher;
    });
  if (code !== undefined) return describe(caller, await refusingTakenCode(() => insert(code)));
  for (let time = 1; time <= triesMax; time += 1) {
    const voucher = await insert(prefix + generateCode(codeLength) + suffix).catch(undefinedIfTaken);
    if (voucher) return describe(caller, voucher);
  }
  throw new AppError('voucher_code_taken', { explain: `Nearly every code of length ${codeLength} is taken.` });
}

/** Each has an index. */
const sortColumns = {
  created: { type: 'id' },
  name: { type: 'text', sql: nameOrder('name') },
  code: { type: 'text', sql: 'canonical_code' },
  ends: { type: 'time', sql: `coalesce(ends_at, 'infinity')` },
} as const;

type VoucherSort = Sort<(typeof voucherSorts)[number]>;

const orderOf = (sort: VoucherSort) => rowOrder(sortColumns, sort, 'created');

/** By default newest first. A voucher must match all search terms. */
export async function listVouchers(caller: Caller, query: z.output<typeof VoucherQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const where = wantedOf(caller, query.search);
  const key = `vouchers ${JSON.stringify([caller.merchantId, query.search])}`;
  const order = orderOf(query);
  const { rows, ...found } = await findSortedPage(Voucher, key, { where, order, limit, offset, after });
  return { ...found, page, offset, limit, collection: await describeAll(caller, rows) };
}

export async function getVoucher(caller: Caller, id: number) {
  const voucher = await findVoucher(caller.merchantId, id);
  if (!voucher) throw new AppError('voucher_not_found');
  return describe(caller, voucher);
}

/**
 * Replaces a voucher's terms: an absent field gets its default. The code and its parts change only if a code is sent,
 * and the rules only if a list is sent. Existing purchases keep their terms.
 */
export async function updateVoucher(caller: Caller, id: number, input: VoucherInput) {
  await refuseForeignTargets(caller, input.rules ?? []);
  return change(caller, id, () => termsOf(input), input);
}

/** Changes only the fields that are sent. */
export async function patchVoucher(caller: Caller, id: number, input: ChangeInput) {
  return change(caller, id, (voucher) => termsOf(changedFields(voucher, input)), input);
}

/** Ends the voucher for new purchases. Existing purchases and reserved uses do not change. */
export async function deleteVoucher(caller: Caller, id: number) {
  await transaction(async (inTransaction) => {
    const voucher = await lockVoucher(caller, id, inTransaction);
    await voucher.update({ deletedAt: now() }, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'voucher.delete', object: ['voucher', id] });
  });
  return message('Voucher successfully deleted');
}

type CodeInput = Partial<Pick<VoucherInput, 'code' | 'length' | 'prefix' | 'suffix'>>;

/** Locks the voucher, so that no use is taken above a limit that is being lowered. */
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
    // The prefix and suffix describe the code, so they change only together with it.
    const coded = code !== undefined && {
      codeLength: parts.length ?? voucher.codeLength,
      prefix: parts.prefix ?? voucher.prefix,
      suffix: parts.suffix ?? voucher.suffix,
      code,
      canonicalCode: canonicalCode(code),
    };
    if (code !== undefined) await refuseCodeOfGift(inTransaction, caller, code);
    await voucher.update({ ...terms, ...coded, updatedAt: now() }, { transaction: inTransaction });
    if (rules) await replaceRules(inTransaction, caller, voucher, rules);
    await audit(inTransaction, caller, { action: 'voucher.update', object: ['voucher', id] });
    return voucher;
  };
  return describe(caller, await refusingTakenCode(() => transaction(save)));
}

/** The same list in parts, for an export. */
export function readVouchers(caller: Caller, { search, ...sort }: { search?: string[] | undefined } & VoucherSort) {
  const rows = readSorted(Voucher, { where: wantedOf(caller, search), order: orderOf(sort) });
  return shownParts(rows, (row) => ({ ...row.get(), ...presentAmounts(row) }));
}

/** Finds a voucher by its whole code. Undefined for the code of a gift. */
export async function findVoucherOfCode({ merchantId }: Caller, code: string) {
  const where = { merchantId, canonicalCode: canonicalCode(code), isGift: false, deletedAt: null };
  const row = await Voucher.findOne({ where });
  return row ? { id: row.id, name: row.name, code: row.code } : undefined;
}

function wantedOf({ merchantId }: Caller, search: string[] = []): WhereOptions<Voucher> {
  return { [Op.and]: [{ merchantId, isGift: false, deletedAt: null }, ...search.map(conditionOf)] };
}

/** The condition of one `key:value` search term. */
function conditionOf(term: string): WhereOptions<Voucher> {
  const key = term.slice(0, term.indexOf(':'));
  const value = term.slice(key.length + 1).trim();
  const escaped = (text: string) => text.replaceAll(/[\\%_]/g, '\\$&');
  if (key === 'name') return { name: { [Op.iLike]: `%${escaped(value)}%` } };
  if (key === 'code') return { canonicalCode: { [Op.like]: `${escaped(canonicalCode(value))}%` } };
  if (key === 'batch') return { batchId: readId(value) ?? [] };
  if (key === 'discount_period') return { discountPeriod: value };
  // A value that cannot be an id finds nothing, like an unknown id.
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
    const computed = { ...presentAmounts(row), discountedCharges: discountedCharges({ period, duration }) };
    return presentVoucher({ row, rules: own, ...computed }, named);
  });
}

/** Reads the items and fees of all rules with one statement each. */
async function readNamed(caller: Caller, rules: VoucherRule[]): Promise<Named> {
  const itemIds = [...new Set(rules.flatMap(({ itemId }) => itemId ?? []))];
  const feeIds = [...new Set(rules.flatMap(({ accessFeeId }) => accessFeeId ?? []))];
  const fees = await listRuleFees(caller.merchantId, feeIds);
  return {
    assets: await describeItems(caller, itemIds),
    fees: new Map(fees.map((fee) => [fee.id, { ...fee, amount: toMajor(fee.amountMinor, fee.currency) }])),
  };
}

/** Refuses a code that belongs to a gift. Gifts are stored under another key, and a code must identify one voucher. */
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

/** Undefined if the code is taken. Any other error is thrown again. */
function undefinedIfTaken(error: unknown): undefined {
  const isOfGift = error instanceof AppError && error.code === 'voucher_code_taken';
  if (!isOfGift && violatedConstraint(error) !== 'vouchers_code') throw error;
}
