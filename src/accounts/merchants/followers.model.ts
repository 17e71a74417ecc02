import { defaulted, integer, jsonb, key, modelOf, nullable, texts, time } from '../../adapters/postgres/columns';
import { sequelize } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';
import { Account } from '../accounts.model';

/** A follower has the same master for ever. A removed relation keeps its row and gives no rights. */
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

const methodStatement = statement<{ isAllowed: boolean }>(
  'follower_method',
  `SELECT (methods->>$2)::boolean IS DISTINCT FROM false AS "isAllowed" FROM follower_relations WHERE follower_id = $1`,
);

/** False if the merchant's master has turned a payment method off. */
export async function isMethodAllowed(merchantId: number, methodId: number): Promise<boolean> {
  const [relation] = await methodStatement([merchantId, String(methodId)]);
  return relation?.isAllowed ?? true;
}

FollowerRelation.belongsTo(Account, { as: 'follower', foreignKey: 'followerId' });
