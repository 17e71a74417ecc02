import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize, type Transaction } from '../../adapters/postgres/connection';
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

export type AccessTypeRow = InferAttributes<AccessType>;

// The update changes nothing: it lets a type that was made meanwhile come back as well.
const saveStatement = statement<AccessTypeRow>(
  'access_type_save',
  `INSERT INTO access_types AS t (merchant_id, name, quantity, period) VALUES ($1, $2, $3, $4)
   ON CONFLICT (merchant_id, name, quantity, period) DO UPDATE SET name = excluded.name
   RETURNING id, merchant_id AS "merchantId", name, quantity, period, created_at AS "createdAt", updated_at AS "updatedAt"`,
);

/** What a type is, whether or not the merchant has it yet. */
export type AccessTypeTerms = Pick<AccessTypeRow, 'merchantId' | 'name' | 'quantity' | 'period'>;

/** Finds the merchant's type that is this, or makes it. */
export async function saveAccessType(
  inTransaction: Transaction,
  { merchantId, name, quantity, period }: AccessTypeTerms,
): Promise<AccessTypeRow> {
  const where = { merchantId, name, quantity, period };
  const known = await AccessType.findOne({ where, transaction: inTransaction });
  if (known) return known;
  const [made] = await saveStatement([merchantId, name, quantity, period], inTransaction);
  if (!made) throw new Error('an access type was not returned');
  return made;
}
