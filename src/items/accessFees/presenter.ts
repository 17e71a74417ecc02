import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type ItemCard } from '../schemas';
import { type AccessFee, type AccessType } from './model';
import { type AccessFeeResponse } from './schemas';

/** The row's amounts in the currency's major unit. */
export interface FeeAmounts {
  amount: number;
  setupFee: number | undefined;
}

export function presentAccessFee(
  fee: AccessFee,
  accessType: AccessType,
  item: z.output<typeof ItemCard>,
  amounts: FeeAmounts,
): z.output<typeof AccessFeeResponse> {
  return {
    id: fee.id,
    merchant_id: fee.merchantId,
    merchant_uuid: item.merchant_uuid,
    amount: amounts.amount,
    currency: fee.currency,
    title: fee.description,
    description: fee.description,
    item_id: fee.itemId,
    item_type: item.item_type.name,
    item,
    access_type: {
      id: accessType.id,
      account_id: accessType.merchantId,
      name: accessType.name,
      quantity: accessType.quantity,
      period: accessType.period,
      created_at: unixSeconds(accessType.createdAt),
      updated_at: unixSeconds(accessType.updatedAt),
    },
    trial_period: null,
    setup_fee:
      amounts.setupFee === undefined
        ? null
        : { id: fee.id, fee_amount: amounts.setupFee, description: fee.setupFeeDescription ?? '' },
    seasonal_fee: null,
    external_fees: [],
    geo_restriction: null,
    current_phase: null,
    next_phase: null,
    plan_switch_enabled: item.plan_switch_enabled,
    template_id: item.template_id,
    starts_at: unixSeconds(fee.startsAt),
    expires_at: unixSeconds(fee.expiresAt),
    created_at: unixSeconds(fee.createdAt),
    updated_at: unixSeconds(fee.updatedAt),
  };
}
