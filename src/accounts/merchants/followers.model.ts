import { defaulted, integer, jsonb, key, modelOf, nullable, texts, time } from '../../adapters/postgres/columns';
import { sequelize } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { Account } from '../accounts.model';

/**
 * The relation of a follower to its master. The master never changes. A removed relation keeps its row and gives no
 * rights.
 */
export class FollowerRelation extends modelOf({
  followerId: key(integer()),
  masterId: integer(),
  scopes: texts(),
  methods: defaulted(jsonb<Record<string, boolean>>()),
  createdAt: defaulted(time()),
  removedAt: nullable(time()),
}) {
  declare follower?: Account;
}

FollowerRelation.init(FollowerRelation.columns, { sequelize, tableName: 'follower_relations' });

const methodStatement = statement<{ isEnabled: boolean }>(
  'merchant_method',
  `SELECT coalesce((SELECT (methods->>$2)::boolean FROM follower_relations WHERE follower_id = $1), true)
     AND $3 = ANY (coalesce((SELECT payment_methods FROM merchant_settings WHERE merchant_id = $1), '{card}'))
     AS "isEnabled"`,
);

/** False if the merchant has not enabled a payment method, or its master has turned the method off. */
export async function isMethodEnabled(
  merchantId: number,
  { id, name }: { id: number; name: string },
): Promise<boolean> {
  const [method] = await methodStatement([merchantId, String(id), name]);
  return method?.isEnabled ?? false;
}

FollowerRelation.belongsTo(Account, { as: 'follower', foreignKey: 'followerId' });
