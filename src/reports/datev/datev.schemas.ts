import { z } from 'zod';
import { formDate, formInt, formObject, formText } from '../../kit/form';
import { accounts } from '../books/books.schemas';

const chart = z.enum(['skr03', 'skr04']);

const between = (least: number, most: number) => {
  const rule = `must be from ${least} to ${most}`;
  return formInt().pipe(z.int().min(least, rule).max(most, rule));
};

const number = formText({ max: 9 }).pipe(z.string().regex(/^\d+$/, 'must be digits'));
const numbers = Object.fromEntries(accounts.map((account) => [account, number.optional()])) as Record<
  (typeof accounts)[number],
  z.ZodOptional<typeof number>
>;

export const DatevSettingsBody = z.object({
  consultant_number: between(1001, 9_999_999),
  client_number: between(1, 99_999),
  chart,
  account_length: between(4, 8).optional().meta({ description: '4 by default' }),
  fiscal_year_month: between(1, 12)
    .optional()
    .meta({ description: 'A fiscal year begins with this month; 1 by default' }),
  account_numbers: formObject(z.object(numbers))
    .optional()
    .meta({ description: 'Own numbers. The other accounts have the number of the chart' }),
});

/** `consultant_number` and `client_number` are null until they are set. */
export const DatevSettings = z.object({
  consultant_number: z.int().nullable(),
  client_number: z.int().nullable(),
  chart,
  account_length: z.int(),
  fiscal_year_month: z.int(),
  accounts: z.array(
    z.object({
      account: z.enum(accounts),
      number: z.string(),
      own_number: z.string().meta({ description: 'Empty if the number is that of the chart' }),
      chart_numbers: z.object({ skr03: z.string(), skr04: z.string() }),
    }),
  ),
});

/** Days in UTC, both inclusive and of one fiscal year. The currency is EUR by default. */
export const DatevQuery = z.object({
  from: formDate(),
  to: formDate(),
  currency: formText({ min: 3, max: 3 })
    .transform((code) => code.toUpperCase())
    .optional(),
});

/** UTF-8 with a byte order mark, in the DATEV format (EXTF 700, category 21, version 13). */
export const DatevFile = z.string();
