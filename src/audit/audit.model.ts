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
import { sequelize } from '../adapters/postgres/connection';

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
