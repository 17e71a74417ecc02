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
