import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../adapters/postgres/connection';

export class Item extends Model<InferAttributes<Item>, InferCreationAttributes<Item>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare isActive: CreationOptional<boolean>;
  declare title: string;
  declare itemType: string;
  declare accessControlType: CreationOptional<string>;
  declare content: CreationOptional<string>;
  declare templateId: CreationOptional<number | null>;
  declare externalId: CreationOptional<string | null>;
  declare eventType: CreationOptional<string | null>;
  declare planSwitchEnabled: CreationOptional<boolean>;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
  declare metadata?: ItemMetadata[];
}

Item.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    isActive: DataTypes.BOOLEAN,
    title: DataTypes.TEXT,
    itemType: DataTypes.TEXT,
    accessControlType: DataTypes.TEXT,
    content: DataTypes.TEXT,
    templateId: DataTypes.INTEGER,
    externalId: DataTypes.TEXT,
    eventType: DataTypes.TEXT,
    planSwitchEnabled: DataTypes.BOOLEAN,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'items' },
);

export class ItemMetadata extends Model<InferAttributes<ItemMetadata>, InferCreationAttributes<ItemMetadata>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare itemId: number;
  declare name: string;
  declare value: string;
}

ItemMetadata.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    itemId: DataTypes.INTEGER,
    name: DataTypes.TEXT,
    value: DataTypes.TEXT,
  },
  { sequelize, tableName: 'item_metadata' },
);

Item.hasMany(ItemMetadata, { as: 'metadata', foreignKey: 'itemId' });
