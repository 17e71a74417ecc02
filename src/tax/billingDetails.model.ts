import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** Whom invoices name. */
export interface BillingDetails {
  name: string;
  addressLine: string;
  postalCode: string;
  city: string;
  region: string | null;
  country: string;
  taxNumber: string;
  /** When VIES confirmed the number. Null if it is checked by its form only. */
  confirmedAt: Date | null;
  /** The consultation number of VIES; empty without one. */
  confirmation: string;
  /** The name and the address in the register; empty without them. */
  entry: string;
}

/** `removedNumber`: the number that VIES no longer knew; empty without one. */
export interface StoredDetails extends BillingDetails {
  removedNumber: string;
  removedAt: Date | null;
}

const findStatement = statement<StoredDetails>(
  'billing_details',
  `SELECT name, address_line AS "addressLine", postal_code AS "postalCode", city, region, country,
     tax_number AS "taxNumber", tax_number_confirmed_at AS "confirmedAt", tax_number_confirmation AS confirmation,
     tax_number_entry AS entry, removed_tax_number AS "removedNumber", tax_number_removed_at AS "removedAt"
   FROM billing_details WHERE merchant_id = $1 AND account_id = $2`,
);

export async function findDetails(merchantId: number, accountId: number): Promise<StoredDetails | undefined> {
  const [found] = await findStatement([merchantId, accountId]);
  return found;
}

const saveStatement = statement(
  'billing_details_save',
  `INSERT INTO billing_details (merchant_id, account_id, name, address_line, postal_code, city, region, country, tax_number,
     tax_number_confirmed_at, tax_number_confirmation, tax_number_entry, has_register)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
   ON CONFLICT (account_id) DO UPDATE SET name = excluded.name, address_line = excluded.address_line,
     postal_code = excluded.postal_code, city = excluded.city, region = excluded.region, country = excluded.country,
     tax_number = excluded.tax_number, tax_number_confirmed_at = excluded.tax_number_confirmed_at,
     tax_number_confirmation = excluded.tax_number_confirmation, tax_number_entry = excluded.tax_number_entry,
     tax_number_asked_at = NULL,
     has_register = excluded.has_register, removed_tax_number = '', tax_number_removed_at = NULL, updated_at = now()`,
);

export interface NewBillingDetails extends BillingDetails {
  /** Whether VIES is asked about the number. */
  hasRegister: boolean;
}

export async function saveDetails(
  merchantId: number,
  accountId: number,
  details: NewBillingDetails,
  inTransaction?: Transaction,
): Promise<void> {
  const { name, addressLine, postalCode, city, region, country, taxNumber, confirmedAt, confirmation, entry } = details;
  const address = [name, addressLine, postalCode, city, region, country];
  const number = [taxNumber, confirmedAt, confirmation, entry, details.hasRegister];
  await saveStatement([merchantId, accountId, ...address, ...number], inTransaction);
}

const removeStatement = statement<{ email: string }>(
  'billing_details_remove_number',
  `UPDATE billing_details b SET tax_number = '', tax_number_confirmed_at = NULL, tax_number_confirmation = '',
     tax_number_entry = '', tax_number_asked_at = NULL, has_register = false, removed_tax_number = b.tax_number,
     tax_number_removed_at = $4, updated_at = now()
   FROM accounts a WHERE b.merchant_id = $1 AND b.account_id = $2 AND b.tax_number = $3 AND a.id = b.account_id
   RETURNING a.email`,
);

/** Removes a number that VIES does not know. Returns the customer's address; undefined if the account has another number. */
export async function removeTaxNumber(
  { merchantId, accountId, taxNumber }: StoredNumber,
  at: Date,
  inTransaction?: Transaction,
): Promise<string | undefined> {
  const [removed] = await removeStatement([merchantId, accountId, taxNumber, at], inTransaction);
  return removed?.email;
}

export interface RemovedNumber {
  accountId: number;
  taxNumber: string;
}

const removedStatement = statement<RemovedNumber>(
  'billing_details_removed',
  `SELECT account_id AS "accountId", removed_tax_number AS "taxNumber" FROM billing_details
   WHERE merchant_id = $1 AND tax_number_removed_at > $2 ORDER BY tax_number_removed_at DESC, account_id LIMIT $3`,
);

/** The numbers that were removed since a time and not replaced, newest first. */
export const listRemoved = (merchantId: number, since: Date, limit: number) =>
  removedStatement([merchantId, since, limit]);

/** A number about which VIES is asked. */
export interface StoredNumber {
  merchantId: number;
  accountId: number;
  taxNumber: string;
}

// The condition and the order are those of the index `billing_details_asked`.
const dueStatement = statement<StoredNumber>(
  'billing_details_due',
  `SELECT merchant_id AS "merchantId", account_id AS "accountId", tax_number AS "taxNumber" FROM billing_details
   WHERE has_register AND (tax_number_confirmed_at IS NULL OR tax_number_confirmed_at < $1)
   ORDER BY greatest(tax_number_asked_at, tax_number_confirmed_at) NULLS FIRST, account_id LIMIT $2`,
);

/**
 * The numbers of all merchants that VIES has not confirmed since a time, the one with the oldest question first. A number that
 * was never looked up comes before the others.
 */
export const listDueNumbers = (confirmedBefore: Date, limit: number) => dueStatement([confirmedBefore, limit]);

const confirmStatement = statement(
  'billing_details_confirm',
  `UPDATE billing_details SET tax_number_confirmed_at = $4, tax_number_confirmation = $5, tax_number_entry = $6,
     tax_number_asked_at = NULL
   WHERE merchant_id = $1 AND account_id = $2 AND tax_number = $3`,
);

/** Nothing changes if the account has another number. */
export async function confirmTaxNumber(
  { merchantId, accountId, taxNumber }: StoredNumber,
  { confirmedAt, confirmation, entry }: { confirmedAt: Date; confirmation: string; entry: string },
): Promise<void> {
  await confirmStatement([merchantId, accountId, taxNumber, confirmedAt, confirmation, entry]);
}

const askedStatement = statement(
  'billing_details_asked',
  `UPDATE billing_details SET tax_number_asked_at = now() WHERE merchant_id = $1 AND account_id = $2 AND tax_number = $3`,
);

/** The number waits behind all others. */
export async function noteUnanswered({ merchantId, accountId, taxNumber }: StoredNumber): Promise<void> {
  await askedStatement([merchantId, accountId, taxNumber]);
}
