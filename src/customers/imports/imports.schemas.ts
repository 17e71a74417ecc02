import { z } from 'zod';
import { formBool, formDate, formId } from '../../kit/form';
import { CreateCustomerBody } from '../customers.schemas';

/** `csv`: a file with the names of the columns in its first line. `dry_run`: nothing is written. */
export const ImportBody = z.object({
  csv: z.string(),
  dry_run: formBool().default(false),
  send_mails: formBool().default(true),
});

/** The columns of the file, besides `metadata.<name>`. */
export const ImportedRow = CreateCustomerBody.omit({ password: true }).extend({
  item_id: formId().optional(),
  access_until: formDate().optional(),
});

/** What is wrong with a row, or with the whole file. */
export const faultReasons = [
  'unreadable',
  'no_rows',
  'too_many_rows',
  'column_missing',
  'column_repeated',
  'column_unknown',
  'cells',
  'required',
  'email_invalid',
  'email_invisible',
  'too_long',
  'id_invalid',
  'date_invalid',
  'date_range',
  'date_future',
  'field_name',
  'too_many_fields',
  'option_unknown',
  'invalid',
  'card_number',
  'repeated',
  'differs',
  'item_unknown',
  'date_past',
  'inactive',
  'address_held',
] as const;

export const ImportFault = z.object({
  line: z.int(),
  /** Absent if the fault is not about one column. */
  column: z.string().optional(),
  reason: z.enum(faultReasons),
  /** How many characters a cell, or how many fields a row can have. */
  limit: z.int().optional(),
  /** The answers that a field of the registration form accepts. */
  allowed: z.array(z.string()).optional(),
  message: z.string(),
});

/** In a dry run, the numbers are those of an import of the rows without a fault. */
export const ImportResponse = z.object({
  dry_run: z.boolean(),
  rows: z.int(),
  new_customers: z.int(),
  known_customers: z.array(z.object({ line: z.int(), email: z.string() })),
  new_accesses: z.int(),
  known_accesses: z.int(),
  mails: z.int(),
  faults: z.array(ImportFault),
});
