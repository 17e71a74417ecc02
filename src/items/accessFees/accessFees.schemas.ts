import { z } from 'zod';
import { formDate, formId, formInt, formList, formNumber, formObject, formText, formZeroless } from '../../kit/form';
import { CountryCode, ListType } from '../../restrictions/restrictions.schemas';
import { accessTypeNames, AccessTypeResponse, periods } from '../accessTypes.schemas';
import { ItemCard } from '../items.schemas';

const quantity = () => formInt().pipe(z.int().min(1).max(1000));
const majorAmount = () => formNumber().pipe(z.number().min(0).max(1e12));

/**
 * The start of a `ppv` fee's access for a buyer who already has access: now, after all access that opens the item
 * (including packages), or after the access to the item itself.
 */
export const whenOwnedRules = ['start_now', 'extend_current', 'extend_same_item'] as const;

/**
 * The access type is an id, or a name with quantity and period. A name finds or creates the merchant's type. Amounts
 * are in the major unit of the currency.
 */
export const AccessFeeBody = z.object({
  access_type_id: formId().optional(),
  access_type: z.enum(accessTypeNames).optional(),
  quantity: quantity().optional(),
  period: z.enum(periods).optional(),
  amount: majorAmount(),
  currency: z.string().transform((code) => code.trim().toUpperCase()),
  description: formText({ max: 250 }),
  setup_fee_amount: majorAmount().optional(),
  setup_fee_description: formText({ max: 250 }).optional(),
  trial_period_quantity: quantity().optional(),
  trial_period_period: z.enum(periods).optional(),
  trial_period_description: formText({ max: 250 }).optional(),
  /** The outcome of a trial that began without a card and still has none at its end. Absent if a card is required. */
  trial_end_behaviour: z.enum(['cancel', 'pause']).optional(),
  /** For the type `ppv`: the rule for a buyer who already has access. Defaults to `extend_same_item`. */
  when_owned: z.enum(whenOwnedRules).optional(),
  country_iso: CountryCode.optional(),
  country_set_id: formZeroless(formId()),
  restriction_type: ListType.optional(),
  external_fees: formList(
    z.object({ payment_provider_id: formId(), external_id: formText({ max: 250 }) }),
    20,
  ).optional(),
  starts_at: formZeroless(formDate()),
  expires_at: formZeroless(formDate()),
});

/** Fees in the body of their item: a fee with an id is changed, a fee without an id is created. */
export const NestedFees = formList(formObject(AccessFeeBody.extend({ id: formId().optional() })), 50).optional();

export const FeePath = z.object({ id: formId(), fee_id: formId() });

const SetupFee = z.object({
  id: z.int(),
  fee_amount: z.number(),
  description: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

const TrialPeriod = z.object({
  id: z.int(),
  quantity: z.int(),
  period: z.enum(periods),
  description: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

const ExternalFee = z.object({
  id: z.int(),
  payment_provider_id: z.int(),
  access_fee_id: z.int(),
  external_id: z.string(),
  merchant_id: z.int(),
});

/**
 * A country or a country set that the visitor must be in (whitelist) or must not be in (blacklist); the other is empty
 * or 0.
 */
const GeoRestriction = z.object({ id: z.int(), country_iso: z.string(), country_set_id: z.int(), type: ListType });

/** Present if the tax is added to the price. */
export const taxBehavior = () =>
  z.literal('exclusive').optional().meta({ description: 'Present if the tax is added to the price' });

/** Amounts are in the major unit. `starts_at` and `expires_at` are 0 if the fee has no such bound. */
export const AccessFeeResponse = z.object({
  id: z.int(),
  merchant_id: z.int(),
  merchant_uuid: z.uuid(),
  amount: z.number(),
  currency: z.string(),
  tax_behavior: taxBehavior(),
  title: z.string(),
  description: z.string(),
  item_id: z.int(),
  item_type: z.string(),
  item: ItemCard,
  access_type: AccessTypeResponse,
  trial_period: TrialPeriod.nullable(),
  trial_end_behaviour: z.enum(['cancel', 'pause']).nullable(),
  /** Null for types other than `ppv`. */
  when_owned: z.enum(whenOwnedRules).nullable(),
  setup_fee: SetupFee.nullable(),
  seasonal_fee: z.null(),
  external_fees: z.array(ExternalFee),
  geo_restriction: GeoRestriction.nullable(),
  current_phase: z.null(),
  next_phase: z.null(),
  plan_switch_enabled: z.boolean(),
  template_id: z.int().nullable(),
  starts_at: z.int(),
  expires_at: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
});
