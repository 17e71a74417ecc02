import { z } from 'zod';
import { formDate, formId, formInt, formNumber, formText } from '../../kit/form';
import { ItemCard } from '../schemas';

export const accessTypeNames = ['ppv', 'ppv_custom', 'subscription', 'freemium'] as const;
export const periods = ['hour', 'day', 'week', 'month', 'year'] as const;

/** The access type is an id, or a name with quantity and period that finds or makes the merchant's type. */
export const AccessFeeBody = z.object({
  access_type_id: formId().optional(),
  access_type: z.enum(accessTypeNames).optional(),
  quantity: formInt().pipe(z.int().min(1).max(1000)).optional(),
  period: z.enum(periods).optional(),
  amount: formNumber().pipe(z.number().min(0).max(1e12)),
  currency: z.string().transform((code) => code.trim().toUpperCase()),
  description: formText({ max: 250 }),
  setup_fee_amount: formNumber().pipe(z.number().min(0).max(1e12)).optional(),
  setup_fee_description: formText({ max: 250 }).optional(),
  starts_at: formDate().optional(),
  expires_at: formDate().optional(),
});

const AccessType = z.object({
  id: z.int(),
  account_id: z.int(),
  name: z.string(),
  quantity: z.int(),
  period: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

const SetupFee = z.object({ id: z.int(), fee_amount: z.number(), description: z.string() });

/** Amounts are in the major unit. `starts_at` and `expires_at` are 0 where the fee has no such bound (wire B.4). */
export const AccessFeeResponse = z.object({
  id: z.int(),
  merchant_id: z.int(),
  merchant_uuid: z.uuid(),
  amount: z.number(),
  currency: z.string(),
  title: z.string(),
  description: z.string(),
  item_id: z.int(),
  item_type: z.string(),
  item: ItemCard,
  access_type: AccessType,
  trial_period: z.null(),
  setup_fee: SetupFee.nullable(),
  seasonal_fee: z.null(),
  external_fees: z.array(z.object({ id: z.int(), payment_provider_id: z.int(), external_id: z.string() })),
  geo_restriction: z.null(),
  current_phase: z.null(),
  next_phase: z.null(),
  plan_switch_enabled: z.boolean(),
  template_id: z.int().nullable(),
  starts_at: z.int(),
  expires_at: z.int(),
  created_at: z.int(),
  updated_at: z.int(),
});

export const ItemWithFees = ItemCard.extend({ access_fees: z.array(AccessFeeResponse) });
