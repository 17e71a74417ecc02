import { z } from 'zod';

const ShownAmount = z.object({
  amount: z.number(),
  with_tax: z.boolean().meta({ description: 'False: the tax is added at the checkout. Show the amount "plus tax"' }),
});

/** The price as its visitor should see it, in the major unit. */
export const ShownPrice = ShownAmount.extend({ setup_fee_amount: z.number() });

export const shownAmount = () =>
  ShownAmount.optional().meta({
    description: 'How the price is shown in the customer’s country. Present if the tax is added to the price',
  });

export const shownPrice = () =>
  ShownPrice.optional().meta({
    description:
      'How the price is shown in the visitor’s country: with its tax or without it. Absent without a tax profile',
  });
