import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

/** Somebody without an account who left an address to see a `DataCapture` item. */
export class DataCapture extends Model<InferAttributes<DataCapture>, InferCreationAttributes<DataCapture>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare email: string;
  declare emailNormalized: string;
  declare fullName: string;
  declare company: CreationOptional<string>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

DataCapture.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    email: DataTypes.TEXT,
    emailNormalized: DataTypes.TEXT,
    fullName: DataTypes.TEXT,
    company: DataTypes.TEXT,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'data_captures' },
);

/** One row a merchant and address, as it was given last. Values: merchant, e-mail, its normal form, name, company. */
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

/** Whether the account's own address was left with its merchant, by whomever. */
export async function hasLeftAddress(accountId: number): Promise<boolean> {
  const [row] = await leftStatement([accountId]);
  return row?.isLeft ?? false;
}
