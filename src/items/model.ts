import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

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

/** A row as it is read, with its metadata. */
export interface ItemRow extends InferAttributes<Item> {
  metadata: { id: number; name: string; value: string }[];
}

const readStatement = statement<ItemRow>(
  'item_read',
  `SELECT i.id, i.merchant_id AS "merchantId", i.is_active AS "isActive", i.title, i.item_type AS "itemType",
     i.access_control_type AS "accessControlType", i.content, i.template_id AS "templateId",
     i.external_id AS "externalId", i.event_type AS "eventType", i.plan_switch_enabled AS "planSwitchEnabled",
     i.created_at AS "createdAt", i.updated_at AS "updatedAt",
     (SELECT coalesce(json_agg(json_build_object('id', m.id, 'name', m.name, 'value', m.value) ORDER BY m.id), '[]')
      FROM item_metadata m WHERE m.item_id = i.id) AS metadata
   FROM items i WHERE i.id = $1`,
);

export async function findItem(id: number, inTransaction?: Transaction): Promise<ItemRow | undefined> {
  const [item] = await readStatement([id], inTransaction);
  return item;
}
