import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../adapters/postgres/connection';

/** `sequence`, `previousHash` and `hash` are the database's work. */
export class AuditLogEntry extends Model<InferAttributes<AuditLogEntry>, InferCreationAttributes<AuditLogEntry>> {
  declare merchantId: number;
  declare sequence: number;
  declare actorAccountId: number;
  declare actedBy: string | null;
  declare action: string;
  declare objectType: string;
  declare objectId: string;
  declare requestId: string | null;
  declare address: string | null;
  declare createdAt: CreationOptional<Date>;
  declare previousHash: Buffer;
  declare hash: Buffer;
}

AuditLogEntry.init(
  {
    merchantId: { type: DataTypes.INTEGER, primaryKey: true },
    sequence: { type: DataTypes.BIGINT, primaryKey: true },
    actorAccountId: DataTypes.INTEGER,
    actedBy: DataTypes.UUID,
    action: DataTypes.TEXT,
    objectType: DataTypes.TEXT,
    objectId: DataTypes.TEXT,
    requestId: DataTypes.TEXT,
    address: DataTypes.TEXT,
    createdAt: DataTypes.DATE,
    previousHash: DataTypes.BLOB,
    hash: DataTypes.BLOB,
  },
  { sequelize, tableName: 'audit_log' },
);
