import { Op } from 'sequelize';
import {
  bigint,
  bytes,
  defaulted,
  integer,
  key,
  modelOf,
  nullable,
  text,
  time,
  uuid,
} from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { acrossMerchants } from '../adapters/postgres/requestWork';
import { statement } from '../adapters/postgres/statement';

/** The database sets `sequence`, `previousHash` and `hash`. */
export class AuditLogEntry extends modelOf({
  merchantId: key(integer()),
  sequence: key(bigint()),
  actorAccountId: integer(),
  actedBy: nullable(uuid()),
  action: text(),
  objectType: text(),
  objectId: text(),
  requestId: nullable(text()),
  address: nullable(text()),
  createdAt: defaulted(time()),
  previousHash: bytes(),
  hash: bytes(),
}) {}
AuditLogEntry.init(AuditLogEntry.columns, { sequelize, tableName: 'audit_log' });

/** The ids of the objects that an account has changed by one of the actions since a time. */
export async function findChangedObjects(
  inTransaction: Transaction,
  change: { merchantId: number; actorAccountId: number; objectType: string; action: string[]; since: Date },
): Promise<string[]> {
  const { since, ...where } = change;
  const entries = await AuditLogEntry.findAll({
    where: { ...where, createdAt: { [Op.gte]: since } },
    attributes: ['objectId'],
    transaction: inTransaction,
  });
  return entries.map(({ objectId }) => objectId);
}

export interface ActorName {
  id: number;
  uuid: string;
  name: string;
}

// Customers are known by their address. Members of the staff choose their names, so the address shows who it is. Operators do
// not belong to the merchant, so merchants do not see their names.
const nameOfActor = `CASE role WHEN 'consumer' THEN email WHEN 'operator' THEN 'Operator'
  WHEN 'staff' THEN full_name || ' (' || email || ')' ELSE CASE full_name WHEN '' THEN email ELSE full_name END END`;

const ownActorsStatement = statement<ActorName>(
  'audit_actors',
  `SELECT id, uuid, ${nameOfActor} AS name FROM accounts
   WHERE merchant_id = $1 AND (id = ANY($2::int[]) OR uuid = ANY($3::uuid[]))`,
);
const foreignActorsStatement = statement<ActorName>(
  'audit_foreign_actors',
  `SELECT id, uuid, ${nameOfActor} AS name FROM accounts WHERE uuid = ANY($1::uuid[])`,
);

/** The names of the accounts in entries. An account of another merchant (a master or an operator) can have acted too. */
export async function listActors(
  merchantId: number,
  { ids, uuids }: { ids: readonly number[]; uuids: readonly string[] },
): Promise<ActorName[]> {
  const own = await ownActorsStatement([merchantId, ids, uuids]);
  const others = uuids.filter((uuid) => own.every((actor) => actor.uuid !== uuid));
  if (others.length === 0) return own;
  return [...own, ...(await acrossMerchants(() => foreignActorsStatement([others])))];
}
