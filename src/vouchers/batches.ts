import { Op } from 'sequelize';
import { type z } from 'zod';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { findPage, olderThan } from '../adapters/postgres/totals';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { byId, cursorRange, nextCursor } from '../kit/page';
import { canonicalCode, generateCode } from './vouchers.model';
import { refuseForeignTargets, type RuleInput } from './rules';
import { refuseContradiction, termsOf, type Terms } from './terms';
import { giftKey } from './uses';
import {
  addRulesToBatch,
  countUses,
  insertVouchers,
  listTaken,
  VoucherBatch,
  type Code,
  type CommonColumns,
  type RuleColumns,
} from './batches.model';
import { presentBatch } from './batches.presenter';
import { type BatchBody, type BatchQuery } from './batches.schemas';

type BatchInput = z.output<typeof BatchBody>;

const defaultLength = 10;
/** Every rule is stored once for each voucher of the batch. */
const rulesMax = 10;
/**
 * The maximum number of times that taken codes are generated again. With codes of this length, even one retry is rare.
 */
const triesMax = 5;

/** Creates all vouchers with the same terms, or none. */
export async function createVoucherBatch(caller: Caller, input: BatchInput) {
  const { count, length = defaultLength, prefix = '', suffix = '', rules = [], ...fields } = input;
  const terms = termsOf({ ...fields, usage_limit: fields.usage_limit ?? 1 });
  refuseContradiction(terms);
  if (rules.length > rulesMax)
    throw new AppError('invalid_input', { errors: { rules: `The rules must be at most ${rulesMax}.` } });
  await refuseForeignTargets(caller, rules);
  const { merchantId } = caller;
  const row = await transaction(async (inTransaction) => {
    const values = { merchantId, name: terms.name, prefix, suffix, codeCount: count };
    const batch = await VoucherBatch.create(values, { transaction: inTransaction, returning: true });
    await fillBatch(batch, { terms, length }, inTransaction);
    await addRulesToBatch(batch, rules.map(columnsOf), inTransaction);
    await audit(inTransaction, caller, { action: 'voucher_batch.create', object: ['voucher_batch', batch.id] });
    return batch;
  });
  return presentBatch(row, 0);
}

/** Newest first. */
export async function listVoucherBatches({ merchantId }: Caller, query: z.output<typeof BatchQuery>) {
  const { page, limit, offset, after } = cursorRange(query);
  const { rows, total } = await findPage(VoucherBatch, `voucher batches ${merchantId}`, {
    where: { merchantId },
    order: [['id', 'DESC']],
    limit,
    offset,
    after: olderThan(after),
  });
  const next_cursor = nextCursor(rows, { limit }, byId);
  return { total, page, offset, limit, next_cursor, collection: await present(rows) };
}

/** The same list in parts, for an export: the rows that follow an id. */
export async function readVoucherBatchesAfter({ merchantId }: Caller, limit: number, after?: number) {
  const where = { merchantId, ...(after !== undefined && { id: { [Op.lt]: after } }) };
  return present(await VoucherBatch.findAll({ where, order: [['id', 'DESC']], limit }));
}

async function present(rows: VoucherBatch[]) {
  const uses = await countUses(rows.map(({ id }) => id));
  return rows.map((row) => presentBatch(row, uses.get(row.id) ?? 0));
}

async function fillBatch(
  batch: VoucherBatch,
  { terms, length }: { terms: Terms; length: number },
  inTransaction: Transaction,
): Promise<void> {
  const common = commonColumns(batch, terms, length);
  let left = batch.codeCount;
  for (let time = 1; time <= triesMax && left > 0; time += 1) {
    const codes = await withoutGifts(batch.merchantId, makeCodes(batch, length, left), inTransaction);
    left -= await insertVouchers(common, codes, inTransaction);
  }
  if (left > 0) throw new Error(`${left} of ${batch.codeCount} random codes were taken ${triesMax} times`);
}

/** Generates codes without duplicates. */
function makeCodes({ prefix, suffix }: VoucherBatch, length: number, wanted: number): Code[] {
  const codes = new Map<string, string>();
  while (codes.size < wanted) {
    const code = prefix + generateCode(length) + suffix;
    codes.set(canonicalCode(code), code);
  }
  return [...codes].map(([canonical, code]) => ({ code, canonical }));
}

/** Removes codes that belong to a gift. Gifts are stored under another key, and a code must identify one voucher. */
async function withoutGifts(merchantId: number, codes: Code[], inTransaction: Transaction): Promise<Code[]> {
  const keys = codes.map(({ code }) => giftKey(code));
  const taken = new Set(await listTaken(merchantId, keys, inTransaction));
  return codes.filter((_, index) => !taken.has(keys[index] ?? ''));
}

function commonColumns(batch: VoucherBatch, terms: Terms, length: number): CommonColumns {
  return {
    merchant_id: batch.merchantId,
    batch_id: batch.id,
    code_length: length,
    prefix: batch.prefix,
    suffix: batch.suffix,
    name: terms.name,
    discount: terms.discount,
    rebill_discount: terms.rebillDiscount,
    discount_minor: terms.discountMinor,
    rebill_discount_minor: terms.rebillDiscountMinor,
    discount_currency: terms.discountCurrency,
    discount_period: terms.discountPeriod,
    discount_duration: terms.discountDuration,
    usage_limit: terms.usageLimit,
    usage_limit_per_customer: terms.usageLimitPerCustomer,
    new_customers_only: terms.newCustomersOnly,
    starts_at: terms.startsAt,
    ends_at: terms.endsAt,
  };
}

function columnsOf({ rule_type: ruleType, value }: RuleInput): RuleColumns {
  const target = (...types: RuleInput['rule_type'][]) => (types.includes(ruleType) ? value : null);
  return {
    ruleType,
    itemId: target('assets', 'packages'),
    accessFeeId: target('access_fees'),
    accountId: target('emails'),
  };
}
