import { z } from 'zod';
import { taxBehavior } from '../items/accessFees/accessFees.schemas';
import { formId } from '../kit/form';
import { voucherCode } from './vouchers.schemas';

/** The price of a fee or, with only `item_id`, of the item's first fee on sale that the voucher is valid for. */
export const DiscountBody = z.object({
  voucher_code: voucherCode,
  access_fee_id: formId().optional(),
  item_id: formId().optional(),
});

/**
 * Amounts are in the major unit. `amount` is the discounted price of the first charge, without the setup fee, and without
 * tax if the tax is added to the price.
 */
export const DiscountResponse = z.object({
  amount: z.number(),
  /** The number of discounted charges; 0 for all charges. */
  discount_duration: z.int(),
  /** The first charge with the setup fee and the tax. The receiver of a gift pays no setup fee. */
  first_charge: z.number(),
  tax_behavior: taxBehavior(),
  first_net_amount: z
    .number()
    .optional()
    .meta({ description: 'The first charge without tax. Present if the tax is added to the price' }),
});
