import { z } from 'zod';
import { formDate, formText } from '../kit/form';
import { reportTime } from '../kit/reportTime';

/** The end of a UTC day; by default now. */
export const LiabilitiesQuery = z.object({
  to: formDate().optional(),
  currency: formText({ min: 3, max: 3 })
    .transform((code) => code.toUpperCase())
    .optional(),
});

/** Amounts in the major unit; `net` is the credit minus the debt. */
export const Liabilities = z.object({
  to: z.string(),
  ...reportTime,
  collection: z.array(
    z.object({
      currency: z.string(),
      credit: z.number(),
      debt: z.number(),
      net: z.number(),
      customers_in_credit: z.int(),
      customers_in_debt: z.int(),
      customers: z.int(),
    }),
  ),
});
