import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';

/** What may be kept of a card: the provider's token and what a person recognises it by. */
export class Card extends Model<InferAttributes<Card>, InferCreationAttributes<Card>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare accountId: number;
  declare provider: string;
  declare token: string;
  declare lastFour: string;
  declare brand: string;
  declare holderName: string;
  declare expiryMonth: number;
  declare expiryYear: number;
  declare fingerprint: string;
}

Card.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    accountId: DataTypes.INTEGER,
    provider: DataTypes.TEXT,
    token: DataTypes.TEXT,
    lastFour: DataTypes.CHAR(4),
    brand: DataTypes.TEXT,
    holderName: DataTypes.TEXT,
    expiryMonth: DataTypes.INTEGER,
    expiryYear: DataTypes.INTEGER,
    fingerprint: DataTypes.TEXT,
  },
  { sequelize, tableName: 'cards' },
);
