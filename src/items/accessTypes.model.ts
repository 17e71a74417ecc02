import { type Attributes } from 'sequelize';
import { defaulted, integer, modelOf, serial, text, time } from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

export type Period = 'hour' | 'day' | 'week' | 'month' | 'year';

export class AccessType extends modelOf({
  id: serial(),
  merchantId: integer(),
  name: text(),
  quantity: integer(),
  period: text<Period>(),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
AccessType.init(AccessType.columns, { sequelize, tableName: 'access_types' });

export type AccessTypeRow = Attributes<AccessType>;

// The update changes nothing. It only makes the statement return a type that was created in parallel.
const saveStatement = statement<AccessTypeRow>(
  'access_type_save',
  `INSERT INTO access_types AS t (merchant_id, name, quantity, period) VALUES ($1, $2, $3, $4)
   ON CONFLICT (merchant_id, name, quantity, period) DO UPDATE SET name = excluded.name
   RETURNING ${AccessType.selectList('t')}`,
);

/** The terms of a type that may not exist yet. */
export type AccessTypeTerms = Pick<AccessTypeRow, 'merchantId' | 'name' | 'quantity' | 'period'>;

/** Finds or creates the merchant's type with these terms. */
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
