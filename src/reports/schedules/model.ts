import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';

export type Cadence = 'daily' | 'weekly' | 'monthly';

export class ReportSchedule extends Model<InferAttributes<ReportSchedule>, InferCreationAttributes<ReportSchedule>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  /** Names its Temporal Schedule. */
  declare token: string;
  declare report: string;
  declare cadence: Cadence;
  declare timeZone: string;
  declare language: string;
  /** A list of addresses as JSON. */
  declare sealedRecipients: Buffer;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

ReportSchedule.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    token: DataTypes.TEXT,
    report: DataTypes.TEXT,
    cadence: DataTypes.TEXT,
    timeZone: DataTypes.TEXT,
    language: DataTypes.TEXT,
    sealedRecipients: DataTypes.BLOB,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'report_schedules' },
);

/** Two requests at once would both see one less. */
export async function lockSchedulesOf(merchantId: number, inTransaction: Transaction): Promise<void> {
  await execute(inTransaction, `SELECT pg_advisory_xact_lock(hashtext('report_schedules'), $1)`, [merchantId]);
}
