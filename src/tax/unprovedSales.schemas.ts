import { z } from 'zod';
import { cursorPageOf, CursorQuery } from '../kit/page';

export const UnprovedSalesQuery = CursorQuery;

const piece = z.string().meta({ description: 'A country; empty if it is not known' });

export const UnprovedSales = cursorPageOf(
  z.object({
    trx_token: z.string(),
    paid_at: z.int().meta({ description: 'Unix seconds' }),
    consumer_id: z.int(),
    treatment: z.string(),
    country: z.string().meta({ description: 'The country that gets the tax, or that would get it' }),
    region: z.string(),
    tax_amount: z.number(),
    gross_amount: z.number(),
    currency_iso: z.string(),
    evidence: z.object({
      billing: piece,
      card: piece,
      network: piece,
      tax_number: piece,
      register: piece,
      confirmed_at: z.int().nullable().meta({ description: 'Unix seconds of the answer of the register' }),
      consultation: z.string().meta({ description: 'The consultation number of the register; empty without one' }),
    }),
  }),
);
