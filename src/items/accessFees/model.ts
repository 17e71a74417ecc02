import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

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

AccessFee.belongsTo(AccessType, { as: 'accessType', foreignKey: 'accessTypeId' });

/** A fee as a purchase takes it, with what it needs of its item and its access type; on sale now or not. */
export interface SellableFee {
  id: number;
  itemId: number;
  isItemActive: boolean;
  amountMinor: number;
  setupFeeMinor: number | null;
  currency: string;
  startsAt: Date | null;
  expiresAt: Date | null;
  accessType: AccessType['name'];
  quantity: number;
  period: AccessType['period'];
}

const sellableStatement = statement<SellableFee>(
  'access_fee_sellable',
  `SELECT f.id, f.item_id AS "itemId", i.is_active AS "isItemActive", f.amount_minor AS "amountMinor",
     f.setup_fee_minor AS "setupFeeMinor", f.currency, f.starts_at AS "startsAt", f.expires_at AS "expiresAt",
     t.name AS "accessType", t.quantity, t.period
   FROM access_fees f JOIN items i ON i.id = f.item_id JOIN access_types t ON t.id = f.access_type_id
   WHERE f.id = $1 AND f.merchant_id = $2`,
);

export async function findSellableFee(merchantId: number, feeId: number): Promise<SellableFee | undefined> {
  const [fee] = await sellableStatement([feeId, merchantId]);
  return fee;
}
