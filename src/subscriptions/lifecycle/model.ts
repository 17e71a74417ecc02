import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../../adapters/postgres/connection';
import { Subscription } from '../model';

/** One attempt to be paid for one cycle. Its idempotency key names it at the provider for ever. */
export class Charge extends Model<InferAttributes<Charge>, InferCreationAttributes<Charge>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  declare subscriptionId: number;
  declare cycle: number;
  declare attempt: number;
  declare idempotencyKey: string;
  declare cardId: number;
  declare amountMinor: number;
  declare currency: string;
  declare status: 'open' | 'requires_action' | 'paid' | 'declined';
  declare reference: CreationOptional<string | null>;
  declare redirectUrl: CreationOptional<string | null>;
  declare declineReason: CreationOptional<string | null>;
  declare declineMessage: CreationOptional<string | null>;
  declare settledAt: CreationOptional<Date | null>;
  declare subscription?: Subscription;
}

Charge.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    subscriptionId: DataTypes.INTEGER,
    cycle: DataTypes.INTEGER,
    attempt: DataTypes.INTEGER,
    idempotencyKey: DataTypes.TEXT,
    cardId: DataTypes.INTEGER,
    amountMinor: DataTypes.BIGINT,
    currency: DataTypes.CHAR(3),
    status: DataTypes.TEXT,
    reference: DataTypes.TEXT,
    redirectUrl: DataTypes.TEXT,
    declineReason: DataTypes.TEXT,
    declineMessage: DataTypes.TEXT,
    settledAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'charges' },
);

Charge.belongsTo(Subscription, { as: 'subscription', foreignKey: 'subscriptionId' });
