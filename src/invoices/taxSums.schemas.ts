import { z } from 'zod';
import { formInt } from '../kit/form';
import { reportTime } from '../kit/reportTime';

const year = formInt().pipe(z.int().min(2000).max(9998));
const quarter = formInt().pipe(z.int().min(1).max(4));

/** Without a year: the quarter of the present day. Without a quarter: the whole year. */
export const TaxReportQuery = z.object({ year: year.optional(), quarter: quarter.optional() });

export const OssQuery = z.object({ year, quarter });

/** Amounts in the major unit: invoices less credit notes. Days are those of the time zone of the tax profile. */
export const TaxReport = z.object({
  year: z.int(),
  quarter: z.int().meta({ description: '0 for a whole year' }),
  /** The first and the last day. */
  from: z.string(),
  to: z.string(),
  ...reportTime,
  collection: z.array(
    z.object({
      treatment: z.string(),
      country: z.string(),
      region: z.string(),
      tax_rate: z.number().meta({ description: 'In percent' }),
      currency: z.string(),
      corrected_quarter: z.string().meta({
        description: 'The quarter of the corrected invoices, such as 2026-Q3; empty for invoices of this period',
      }),
      documents: z.int(),
      net_amount: z.number(),
      tax_amount: z.number(),
      gross_amount: z.number(),
    }),
  ),
  exchange_rates: z
    .array(
      z.object({
        currency: z.string(),
        quarter: z.string().meta({ description: 'The quarter whose last day has the rate, such as 2026-Q3' }),
        rate: z.number().nullable().meta({ description: 'Units of the currency for one euro. Null: there is no rate' }),
        published_on: z.string().meta({ description: 'The day of the publication; empty without a rate' }),
        problem: z.enum(['', 'period_not_ended', 'not_published', 'no_answer', 'not_configured']),
      }),
    )
    .meta({
      description:
        'Of a quarter: the rates of the European Central Bank with which sales of the one stop shop in other currencies are declared in euro',
    }),
  /** After a restored backup in this period: documents that may exist, and that this database does not know. */
  lost_numbers: z.array(
    z.object({
      series: z.string().meta({ description: 'The series in which the numbers continue, such as R261129143205' }),
      begun_at: z.int().meta({ description: 'The time of the restore, in Unix seconds' }),
      last_number: z.string().meta({ description: 'The last number that is known; empty if none is' }),
      first_lost_number: z.string().meta({ description: 'Documents from this number on may have been lost' }),
    }),
  ),
});

export const OssCsv = z.string();
