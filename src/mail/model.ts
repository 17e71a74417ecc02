import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { Account } from '../accounts/model';
import { sequelize } from '../adapters/postgres/connection';

export class Mail extends Model<InferAttributes<Mail>, InferCreationAttributes<Mail>> {
  declare id: CreationOptional<number>;
  declare messageId: CreationOptional<string>;
  declare merchantId: number;
  declare accountId: number | null;
  declare recipient: string;
  declare template: string;
  /** What fills the template, sealed; null once the mail is delivered. */
  declare sealedValues: Buffer | null;
  declare attempts: CreationOptional<number>;
  declare usefulUntil: Date;
  declare sentAt: CreationOptional<Date | null>;
  declare parkedAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
  declare merchant?: Account;
}

Mail.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    messageId: DataTypes.UUID,
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    recipient: DataTypes.TEXT,
    template: DataTypes.TEXT,
    sealedValues: DataTypes.BLOB,
    attempts: DataTypes.INTEGER,
    usefulUntil: DataTypes.DATE,
    sentAt: DataTypes.DATE,
    parkedAt: DataTypes.DATE,
    createdAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'mails' },
);

Mail.belongsTo(Account, { as: 'merchant', foreignKey: 'merchantId' });
