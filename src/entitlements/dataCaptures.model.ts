import { defaulted, integer, modelOf, serial, text, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** A visitor without an account who left an address to see a `DataCapture` item. */
export class DataCapture extends modelOf({
  id: serial(),
  merchantId: integer(),
  email: text(),
  emailNormalized: text(),
  fullName: text(),
  company: defaulted(text()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
DataCapture.init(DataCapture.columns, { sequelize, tableName: 'data_captures' });

/**
 * One row for each merchant and address, with the latest values. Values: merchant, e-mail, its normal form, name,
 * company.
 */
export const upsertDataCapture = statement(
  'data_capture',
  `INSERT INTO data_captures (merchant_id, email, email_normalized, full_name, company) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (merchant_id, email_normalized) DO UPDATE
     SET email = excluded.email, full_name = excluded.full_name, company = excluded.company, updated_at = now()`,
);

const leftStatement = statement<{ isLeft: boolean }>(
  'data_capture_of_account',
  `SELECT EXISTS (
     SELECT FROM accounts a JOIN data_captures d USING (merchant_id, email_normalized) WHERE a.id = $1
   ) AS "isLeft"`,
);

/** Whether the account's address was left with its merchant, by anyone. */
export async function hasLeftAddress(accountId: number): Promise<boolean> {
  const [row] = await leftStatement([accountId]);
  return row?.isLeft ?? false;
}
