import { z } from 'zod';
import { formId } from '../../kit/form';
import { voucherCode } from '../schemas';

/** Which price: a fee's, or with `item_id` alone that of the item's first fee on sale that the voucher is good for. */
export const DiscountBody = z.object({
  voucher_code: voucherCode,
  access_fee_id: formId().optional(),
  item_id: formId().optional(),
});

/** Amounts in the major unit. `amount`: the first charge's price after the discount, without the setup fee. */
export const DiscountResponse = z.object({
  amount: z.number(),
  /** How many charges are discounted; 0 for all of them. */
  discount_duration: z.int(),
  /** All that the first charge takes, with the setup fee, which nobody pays who redeems a gift. */
  first_charge: z.number(),
});
