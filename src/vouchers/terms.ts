import { type z } from 'zod';
import { AppError } from '../kit/errors';
import { isAmount, isCurrency, toMajor, toMinor } from '../billing/money';
import { type Voucher } from './vouchers.model';
import { type VoucherBody, type VoucherChange } from './vouchers.schemas';

/** The terms of a voucher: its discount, its dates and its limits. */

export type Terms = Pick<Voucher, 'name' | 'discount' | 'discountPeriod' | 'startsAt' | 'newCustomersOnly'> &
  Record<
    | 'rebillDiscount'
    | 'discountMinor'
    | 'rebillDiscountMinor'
    | 'discountDuration'
    | 'usageLimit'
    | 'usageLimitPerCustomer',
    number | null
  > & { discountCurrency: string | null; endsAt: Date | null };

export type TermFields = Omit<z.output<typeof VoucherBody>, 'code' | 'length' | 'prefix' | 'suffix' | 'rules'>;
type ChangeInput = z.output<typeof VoucherChange>;

/** The duration is only stored with `repeating`. */
export function termsOf(input: TermFields): Terms {
  const discountPeriod = input.discount_period ?? 'once';
  return {
    name: input.name,
    ...reductionOf(input),
    discountPeriod,
    startsAt: input.start_date,
    endsAt: input.end_date ?? null,
    discountDuration: discountPeriod === 'repeating' ? (input.discount_duration ?? null) : null,
    usageLimit: input.usage_limit ?? null,
    usageLimitPerCustomer: input.usage_limit_per_customer ?? null,
    newCustomersOnly: input.new_customers_only ?? false,
  };
}

/**
 * The fields of a stored voucher with the sent fields applied. A sent percentage replaces a stored amount, and a sent
 * amount replaces a stored percentage.
 */
export function changedFields(voucher: Voucher, input: ChangeInput): TermFields {
  return {
    name: input.name ?? voucher.name,
    ...changedReduction(voucher, input),
    start_date: input.start_date ?? voucher.startsAt,
    end_date: input.end_date ?? voucher.endsAt ?? undefined,
    usage_limit: input.usage_limit ?? voucher.usageLimit ?? undefined,
    usage_limit_per_customer: input.usage_limit_per_customer ?? voucher.usageLimitPerCustomer ?? undefined,
    new_customers_only: input.new_customers_only ?? voucher.newCustomersOnly,
    discount_period: input.discount_period ?? voucher.discountPeriod,
    discount_duration: input.discount_duration ?? voucher.discountDuration ?? undefined,
  };
}

type ReductionFields = Pick<
  TermFields,
  'discount' | 'rebill_discount' | 'discount_amount' | 'rebill_discount_amount' | 'discount_currency'
>;

function changedReduction(voucher: Voucher, input: ChangeInput): ReductionFields {
  const { discount, rebill_discount, discount_amount, rebill_discount_amount, discount_currency } = input;
  const sent = { discount, rebill_discount, discount_amount, rebill_discount_amount, discount_currency };
  const { discountMinor, discountCurrency: currency } = voucher;
  const isKept = discountMinor === null ? discount_amount === undefined : discount === undefined;
  if (!isKept) return sent;
  if (discountMinor === null || currency === null)
    return {
      ...sent,
      discount: discount ?? voucher.discount,
      rebill_discount: rebill_discount ?? voucher.rebillDiscount ?? undefined,
    };
  const rebillMinor = voucher.rebillDiscountMinor;
  // In another currency, the stored amounts do not apply.
  if (discount_currency !== undefined && discount_currency !== currency) return sent;
  const amounts = presentAmounts({ discountMinor, rebillDiscountMinor: rebillMinor, discountCurrency: currency });
  return {
    ...sent,
    discount_amount: discount_amount ?? amounts.discountAmount ?? undefined,
    rebill_discount_amount: rebill_discount_amount ?? amounts.rebillDiscountAmount ?? undefined,
    discount_currency: currency,
  };
}

/** In the major unit; null if the voucher has a percentage. */
export function presentAmounts({
  discountMinor,
  rebillDiscountMinor,
  discountCurrency: currency,
}: Pick<Voucher, 'discountMinor' | 'rebillDiscountMinor' | 'discountCurrency'>) {
  const major = (minor: number | null) => (minor === null || currency === null ? null : toMajor(minor, currency));
  return { discountAmount: major(discountMinor), rebillDiscountAmount: major(rebillDiscountMinor) };
}

type Reduction = Pick<
  Terms,
  'discount' | 'rebillDiscount' | 'discountMinor' | 'rebillDiscountMinor' | 'discountCurrency'
>;

/** A percentage, or an amount in a currency. */
function reductionOf(input: ReductionFields): Reduction {
  const { discount, discount_amount: amount, rebill_discount: rebillDiscount } = input;
  if (amount !== undefined) return amountsOf(input, amount);
  refuseSent(input, ['rebill_discount_amount', 'discount_currency'], 'goes with a discount_amount');
  if (discount === undefined) throw missing('discount');
  const none = { discountMinor: null, rebillDiscountMinor: null, discountCurrency: null };
  return { discount, rebillDiscount: rebillDiscount ?? null, ...none };
}

function amountsOf(input: ReductionFields, amount: number): Reduction {
  const { discount_currency: currency, rebill_discount_amount: rebillAmount } = input;
  refuseSent(input, ['discount', 'rebill_discount'], 'does not go with a discount_amount');
  if (currency === undefined) throw missing('discount_currency');
  if (!isCurrency(currency)) throw invalid('discount_currency', 'must be an ISO 4217 code');
  for (const name of ['discount_amount', 'rebill_discount_amount'] as const)
    if (input[name] !== undefined && !isAmount(input[name], currency))
      throw invalid(name, `has more decimals than ${currency}`);
  if (amount === 0) throw invalid('discount_amount', 'must be more than 0');
  return {
    discount: 0,
    rebillDiscount: null,
    discountMinor: toMinor(amount, currency),
    rebillDiscountMinor: rebillAmount === undefined ? null : toMinor(rebillAmount, currency),
    discountCurrency: currency,
  };
}

function refuseSent(input: ReductionFields, names: (keyof ReductionFields)[], text: string): void {
  const sent = names.find((name) => input[name] !== undefined);
  if (sent !== undefined) throw invalid(sent, text);
}

const invalid = (name: string, text: string) =>
  new AppError('invalid_input', { errors: { [name]: `The ${name} ${text}.` } });
const missing = (name: string) =>
  new AppError('missing_parameter', { errors: { [name]: `The ${name} must not be empty.` } });

/** Checks the fields against each other. `uses` is the current number of uses. */
export function refuseContradiction(terms: Terms, uses = 0): void {
  const errors: Record<string, string> = {};
  if (terms.endsAt && terms.endsAt <= terms.startsAt) errors['end_date'] = 'The end_date must be after the start_date.';
  if (terms.discountPeriod === 'repeating' && terms.discountDuration === null)
    errors['discount_duration'] = 'The discount_duration must not be empty when the discount_period is repeating.';
  if (terms.usageLimit !== null && terms.usageLimit < uses)
    errors['usage_limit'] = `The usage_limit must be at least ${uses}, the uses so far.`;
  if (Object.keys(errors).length > 0) throw new AppError('invalid_input', { errors });
}
