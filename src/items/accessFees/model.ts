import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { Item } from '../model';

export class AccessType extends Model<InferAttributes<AccessType>, InferCreationAttributes<AccessType>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare name: string;
  declare quantity: number;
  declare period: 'hour' | 'day' | 'week' | 'month' | 'year';
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

AccessType.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    name: DataTypes.TEXT,
    quantity: DataTypes.INTEGER,
    period: DataTypes.TEXT,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'access_types' },
);

export class AccessFee extends Model<InferAttributes<AccessFee>, InferCreationAttributes<AccessFee>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare itemId: number;
  declare accessTypeId: number;
  declare amountMinor: number;
  declare currency: string;
  declare description: string;
  declare setupFeeMinor: CreationOptional<number | null>;
  declare setupFeeDescription: CreationOptional<string | null>;
  declare startsAt: CreationOptional<Date | null>;
  declare expiresAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  declare item?: Item;
  declare accessType?: AccessType;
}

AccessFee.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    accessTypeId: DataTypes.INTEGER,
    amountMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    description: DataTypes.TEXT,
    setupFeeMinor: DataTypes.BIGINT,
    setupFeeDescription: DataTypes.TEXT,
    startsAt: DataTypes.DATE,
    expiresAt: DataTypes.DATE,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'access_fees' },
);

AccessFee.belongsTo(Item, { as: 'item', foreignKey: 'itemId' });
AccessFee.belongsTo(AccessType, { as: 'accessType', foreignKey: 'accessTypeId' });
