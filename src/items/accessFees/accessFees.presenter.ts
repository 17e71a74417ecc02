import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type AccessTypeResponse } from '../accessTypes.schemas';
import { type ItemCard } from '../items.schemas';
import { type FeeRow } from './accessFees.model';
import { type AccessFeeResponse } from './accessFees.schemas';

type Response = z.output<typeof AccessFeeResponse>;

/** The records that a fee refers to, and its amounts in the major unit. */
export interface FeeContext {
  item: z.output<typeof ItemCard>;
  accessType: z.output<typeof AccessTypeResponse>;
  amount: number;
  setupFee: number | undefined;
}

export function presentAccessFee(fee: FeeRow, { item, accessType, amount, setupFee }: FeeContext): Response {
  const times = { created_at: unixSeconds(fee.createdAt), updated_at: unixSeconds(fee.updatedAt) };
  return {
    id: fee.id,
    merchant_id: fee.merchantId,
    merchant_uuid: item.merchant_uuid,
    amount,
    currency: fee.currency,
    ...(fee.addsTax && { tax_behavior: 'exclusive' as const }),
    title: fee.description,
    description: fee.description,
    item_id: fee.itemId,
    item_type: item.item_type.name,
    item,
    access_type: accessType,
    trial_period: presentTrial(fee, times),
    trial_end_behaviour: fee.trialEndBehaviour,
    when_owned: fee.type.name === 'ppv' ? (fee.whenOwned ?? 'extend_same_item') : null,
    setup_fee:
      setupFee === undefined
        ? null
        : { id: fee.id, fee_amount: setupFee, description: fee.setupFeeDescription ?? '', ...times },
    seasonal_fee: null,
    external_fees: fee.externalFees.map((external) => ({
      ...external,
      access_fee_id: fee.id,
      merchant_id: fee.merchantId,
    })),
    geo_restriction: presentGeoRestriction(fee),
    current_phase: null,
    next_phase: null,
    plan_switch_enabled: item.plan_switch_enabled,
    template_id: item.template_id,
    starts_at: unixSeconds(fee.startsAt),
    expires_at: unixSeconds(fee.expiresAt),
    ...times,
  };
}

function presentTrial(
  { id, trialQuantity: quantity, trialPeriod: period, trialDescription }: FeeRow,
  times: Pick<Response, 'created_at' | 'updated_at'>,
): Response['trial_period'] {
  if (quantity === null || period === null) return null;
  return { id, quantity, period, description: trialDescription ?? '', ...times };
}

function presentGeoRestriction(fee: FeeRow): Response['geo_restriction'] {
  const type = fee.restrictionType ?? fee.typeOfSet;
  if (type === null) return null;
  return {
    id: fee.id,
    country_iso: fee.countryIso ?? '',
    country_set_id: fee.countrySetId ?? 0,
    type,
  };
}
