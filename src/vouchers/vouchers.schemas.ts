import { z } from 'zod';
import { formBool, formDate, formId, formInt, formList, formNumber, formText, formUnless } from '../kit/form';
import { ItemWithContent } from '../items/items.schemas';
import { cursorPageOf, CursorQuery, Message } from '../kit/page';
import { sortFields } from '../kit/sorting';

export const discountPeriods = ['once', 'repeating', 'forever'] as const;

/** `assets` and `packages` are rules for an item, `access_fees` for a fee, and `emails` for an account. */
export const ruleTypes = ['assets', 'packages', 'access_fees', 'emails'] as const;

const codeShortest = 5;
/** The maximum length of prefix, generated part and suffix together, and of a purchase's `voucher_code`. */
const codeLongest = 100;
const affixLongest = 25;

const printable = (text: string) => /^[^\s\p{C}]*$/u.test(text);
const affix = formText({ max: affixLongest }).refine(printable, 'must have no blanks');

export const voucherCode = formText({ max: codeLongest });

const majorAmount = () => formNumber().pipe(z.number().min(0).max(1e12));

const fields = {
  name: formText({ max: 250 }),
  discount: formInt().pipe(z.int().min(1).max(100)),
  rebill_discount: formInt().pipe(z.int().min(0).max(100)),
  discount_amount: majorAmount(),
  rebill_discount_amount: majorAmount(),
  discount_currency: z.string().transform((code) => code.trim().toUpperCase()),
  start_date: formDate(),
  end_date: formDate(),
  code: formText({ min: codeShortest, max: codeLongest }).refine(printable, 'must have no blanks'),
  usage_limit: formInt().pipe(z.int().min(1).max(2_147_483_647)),
  usage_limit_per_customer: formInt().pipe(z.int().min(1).max(2_147_483_647)),
  new_customers_only: formBool(),
  discount_period: z.enum(discountPeriods),
  discount_duration: formInt().pipe(z.int().min(1).max(1000)),
};

/** An empty `rules[]=` is an empty list. */
const Rules = z.preprocess(
  (sent) => (Array.isArray(sent) ? sent.filter((rule) => rule !== '') : sent),
  formList(z.object({ rule_type: z.enum(ruleTypes), value: formId() })),
);

/**
 * Name, discount and start are required; without a code, one is generated. The discount is a percentage, or an amount
 * in the major unit with its currency. A voucher with an amount is only valid for prices in that currency.
 */
export const VoucherBody = z.object({
  name: fields.name,
  discount: formUnless('discount_amount', fields.discount),
  start_date: fields.start_date,
  rebill_discount: fields.rebill_discount.optional(),
  discount_amount: fields.discount_amount.optional(),
  /** Replaces `discount_amount` from the second charge on. */
  rebill_discount_amount: fields.rebill_discount_amount.optional(),
  discount_currency: fields.discount_currency.optional(),
  end_date: fields.end_date.optional(),
  code: fields.code.optional(),
  length: formInt().pipe(z.int().min(1).max(50)).optional(),
  prefix: affix.optional(),
  suffix: affix.optional(),
  usage_limit: fields.usage_limit.optional(),
  /** The number of times that one customer may use the voucher. Without it, only `usage_limit` applies. */
  usage_limit_per_customer: fields.usage_limit_per_customer.optional(),
  /** Refuses customers who have paid this merchant, bought in an app store, or used another of its vouchers. */
  new_customers_only: fields.new_customers_only.optional(),
  discount_period: fields.discount_period.optional(),
  discount_duration: fields.discount_duration.optional(),
  rules: Rules.optional(),
});

/** Fields that are not sent do not change. */
export const VoucherChange = z.object(fields).partial();

const searchKeys = ['id', 'name', 'code', 'discount_period', 'batch'];
const searchPattern = new RegExp(`^(${searchKeys.join('|')}):[^]{1,200}$`);

/** The keys by which vouchers are sorted; `name` and `code` ignore the case of A to Z. A voucher without an end ends last. */
export const voucherSorts = ['created', 'name', 'code', 'ends'] as const;

export const VoucherQuery = CursorQuery.extend({
  search: formList(
    z.string().regex(searchPattern, `must be key:value, the key one of ${searchKeys.join(', ')}`),
    10,
  ).optional(),
  ...sortFields(voucherSorts),
});

export const VoucherPath = z.object({ id: formId() });
export const VoucherRulePath = z.object({ id: formId(), rule_type: z.string().max(50) });
export const VoucherRuleId = z.object({ id: formId(), rule_id: formId() });
export const VoucherRuleBody = z.object({ value: formId() });

/** The fee of a rule; the amount is in the major unit. */
const RuleFee = z.object({
  id: z.int(),
  merchant_id: z.int(),
  amount: z.number(),
  currency: z.string(),
  description: z.string(),
  item_id: z.int(),
  item_type: z.string(),
  access_type: z.object({ id: z.int(), name: z.string(), quantity: z.int(), period: z.string() }),
});

/** The item or fee of the rule with all its fields and an empty `content`. An account has only its id. */
export const VoucherRule = z.object({
  id: z.int(),
  rule_type: z.enum(ruleTypes),
  value: z.int(),
  access_fees: RuleFee.nullable(),
  assets: ItemWithContent.nullable(),
});

/** Dates are ISO 8601. A missing `rebill_discount`, `end_date` or limit is null. */
export const VoucherResponse = z.object({
  id: z.int(),
  name: z.string(),
  /** 0 if the voucher has a fixed amount. */
  discount: z.int(),
  rebill_discount: z.int().nullable(),
  discount_amount: z.number().nullable(),
  rebill_discount_amount: z.number().nullable(),
  discount_currency: z.string().nullable(),
  start_date: z.iso.datetime(),
  end_date: z.iso.datetime().nullable(),
  code: z.string(),
  length: z.int(),
  prefix: z.string(),
  suffix: z.string(),
  usage_limit: z.int().nullable(),
  usage_limit_per_customer: z.int().nullable(),
  new_customers_only: z.boolean(),
  usage_counter: z.int(),
  /** The batch of the voucher; null if it was created alone. */
  batch_id: z.int().nullable(),
  discount_period: z.enum(discountPeriods),
  /** The number of discounted charges; 0 for all charges. */
  discount_duration: z.int(),
  rules: z.array(VoucherRule),
});

export const VoucherPage = cursorPageOf(VoucherResponse);

export const VoucherRuleResponse = Message.extend({ id: z.int() });
