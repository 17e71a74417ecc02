import { z } from 'zod';
import { formDate, formText } from '../kit/form';
import { cursorPageOf, CursorQuery } from '../kit/page';
import { sortFields } from '../kit/sorting';

const kind = z.enum(['invoice', 'credit_note', 'cancellation']);

export const OwnInvoicesQuery = CursorQuery.extend({
  kind: kind.optional(),
  /** Days in UTC, both inclusive. */
  startDate: formDate().optional(),
  endDate: formDate().optional(),
});

export const InvoicesQuery = OwnInvoicesQuery.extend({
  search: formText({ max: 200 })
    .meta({ description: 'A part of the number, or of the buyer’s name or email address' })
    .optional(),
  ...sortFields(['issued']),
});

export const InvoicePath = z.object({ number: z.string().max(40) });

export const InvoiceBytes = z
  .custom<Uint8Array>((value) => value instanceof Uint8Array)
  .meta({ type: 'string', format: 'binary' });

/** Amounts are in the major unit. */
const amounts = { net_amount: z.number(), tax_amount: z.number(), gross_amount: z.number() };

const party = {
  name: z.string(),
  address_line: z.string(),
  postal_code: z.string(),
  city: z.string(),
  country: z.string(),
  tax_number: z.string(),
};

const entry = {
  id: z.int(),
  number: z.string(),
  kind: kind.meta({
    description: 'A cancellation corrects the credit note of a refund that failed after its success',
  }),
  is_test: z.boolean(),
  issued_at: z.int().meta({ description: 'Unix seconds' }),
  corrects: z.string().meta({ description: 'The number of the corrected document; empty for an invoice' }),
  trx_token: z.string().meta({ description: 'The token of the payment, or of the refund' }),
  consumer_id: z.int(),
  consumer_email: z.string().meta({ description: 'The buyer’s address when the document was issued' }),
  currency_iso: z.string(),
  ...amounts,
  tax_rate: z.number().meta({ description: 'In percent' }),
  tax_country: z.string(),
  tax_treatment: z.string(),
  buyer_tax_number: z.string().meta({ description: 'Empty if the buyer is no business, or was deleted' }),
  tax_number_confirmed_at: z.int().nullable().meta({
    description: 'Unix time at which VIES confirmed the tax number, when the tax of the charge was decided',
  }),
  tax_number_consultation: z.string().meta({
    description: 'The consultation number of VIES, which proves this look-up; empty without one',
  }),
  tax_number_entry: z.string().meta({
    description:
      'The name and the address that VIES answered for the number; empty without a confirmed number, and if the member state does not publish them',
  }),
};

const line = z.object({
  kind: z.enum(['item', 'discount', 'setup_fee', 'balance', 'refund', 'chargeback', 'cancellation']),
  text: z.string(),
  detail: z.string(),
  starts_at: z.int().meta({ description: 'Unix seconds; 0 if the line has no period' }),
  ends_at: z.int(),
  ...amounts,
});

export const Invoices = cursorPageOf(z.object(entry));

export const Invoice = z.object({
  ...entry,
  seller: z.object({ ...party, note: z.string().meta({ description: 'A text of the merchant' }) }),
  buyer: z
    .object({ ...party, email: z.string(), region: z.string(), paid_with: z.string(), last_four: z.string() })
    .nullable()
    .meta({ description: 'null when the buyer’s data was deleted after the years that the law requires' }),
  lines: z.array(line),
});
