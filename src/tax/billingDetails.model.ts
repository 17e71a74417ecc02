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
}

const findStatement = statement<BillingDetails>(
  'billing_details',
  `SELECT name, address_line AS "addressLine", postal_code AS "postalCode", city, region, country,
     tax_number AS "taxNumber" FROM billing_details WHERE merchant_id = $1 AND account_id = $2`,
);

export async function findDetails(merchantId: number, accountId: number): Promise<BillingDetails | undefined> {
  const [found] = await findStatement([merchantId, accountId]);
  return found;
}

const saveStatement = statement(
  'billing_details_save',
  `INSERT INTO billing_details (merchant_id, account_id, name, address_line, postal_code, city, region, country, tax_number)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT (account_id) DO UPDATE SET name = excluded.name, address_line = excluded.address_line,
     postal_code = excluded.postal_code, city = excluded.city, region = excluded.region, country = excluded.country,
     tax_number = excluded.tax_number, updated_at = now()`,
);

export async function saveDetails(
  merchantId: number,
  accountId: number,
  details: BillingDetails,
  inTransaction?: Transaction,
): Promise<void> {
  const { name, addressLine, postalCode, city, region, country, taxNumber } = details;
  const values = [merchantId, accountId, name, addressLine, postalCode, city, region, country, taxNumber];
  await saveStatement(values, inTransaction);
}
