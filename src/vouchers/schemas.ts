import { z } from 'zod';
import { formDate, formId, formInt, formList, formText } from '../kit/form';
import { ItemWithContent } from '../items/schemas';
import { Message, PageQuery, pageOf } from '../kit/page';

export const discountPeriods = ['once', 'repeating', 'forever'] as const;

/** Items and packages by the item's id, fees by theirs, and accounts, whose rule is called `emails` (decisions 9). */
export const ruleTypes = ['assets', 'packages', 'access_fees', 'emails'] as const;

const codeShortest = 5;
/** As long as prefix, suffix and generated part can be together, and as a purchase's `voucher_code`. */
const codeLongest = 100;
const affixLongest = 25;

const printable = (text: string) => /^[^\s\p{C}]*$/u.test(text);
const affix = formText({ max: affixLongest }).refine(printable, 'must have no blanks');

export const voucherCode = formText({ max: codeLongest });

const fields = {
  name: formText({ max: 250 }),
  discount: formInt().pipe(z.int().min(1).max(100)),
  rebill_discount: formInt().pipe(z.int().min(0).max(100)),
  start_date: formDate(),
  end_date: formDate(),
  code: formText({ min: codeShortest, max: codeLongest }).refine(printable, 'must have no blanks'),
  usage_limit: formInt().pipe(z.int().min(1).max(2_147_483_647)),
  discount_period: z.enum(discountPeriods),
  discount_duration: formInt().pipe(z.int().min(1).max(1000)),
};

/** `rules[]=` with nothing behind it is a list of none. */
const Rules = z.preprocess(
  (sent) => (Array.isArray(sent) ? sent.filter((rule) => rule !== '') : sent),
  formList(z.object({ rule_type: z.enum(ruleTypes), value: formId() })),
);

/** The first three are required; a code is generated where none is sent. */
export const VoucherBody = z.object({
  name: fields.name,
  discount: fields.discount,
  start_date: fields.start_date,
  rebill_discount: fields.rebill_discount.optional(),
  end_date: fields.end_date.optional(),
  code: fields.code.optional(),
  length: formInt().pipe(z.int().min(1).max(50)).optional(),
  prefix: affix.optional(),
  suffix: affix.optional(),
  usage_limit: fields.usage_limit.optional(),
  discount_period: fields.discount_period.optional(),
  discount_duration: fields.discount_duration.optional(),
  rules: Rules.optional(),
});

/** Only what is sent changes. */
export const VoucherChange = z.object(fields).partial();

const searchKeys = ['id', 'name', 'code', 'discount_period'];
const searchPattern = new RegExp(`^(${searchKeys.join('|')}):[^]{1,200}$`);

export const VoucherQuery = PageQuery.extend({
  search: formList(
    z.string().regex(searchPattern, `must be key:value, the key one of ${searchKeys.join(', ')}`),
    10,
  ).optional(),
});

export const VoucherPath = z.object({ id: formId() });
export const VoucherRulePath = z.object({ id: formId(), rule_type: z.string().max(50) });
export const VoucherRuleId = z.object({ id: formId(), rule_id: formId() });
export const VoucherRuleBody = z.object({ value: formId() });

/** A fee as the spec's record has it; the amount in the major unit. */
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

/** What the rule names, in full but for an empty `content`, under the spec's names; an account only by its id. */
export const VoucherRule = z.object({
  id: z.int(),
  rule_type: z.enum(ruleTypes),
  value: z.int(),
  access_fees: RuleFee.nullable(),
  assets: ItemWithContent.nullable(),
});

/** Dates are ISO 8601. `rebill_discount`, `end_date`, `usage_limit` are null where there is none. */
export const VoucherResponse = z.object({
  id: z.int(),
  name: z.string(),
  discount: z.int(),
  rebill_discount: z.int().nullable(),
  start_date: z.iso.datetime(),
  end_date: z.iso.datetime().nullable(),
  code: z.string(),
  length: z.int(),
  prefix: z.string(),
  suffix: z.string(),
  usage_limit: z.int().nullable(),
  usage_counter: z.int(),
  discount_period: z.enum(discountPeriods),
  /** How many charges are discounted; 0 for all of them. */
  discount_duration: z.int(),
  rules: z.array(VoucherRule),
});

export const VoucherPage = pageOf(VoucherResponse);

export const VoucherRuleResponse = Message.extend({ id: z.int() });
