import { DataTypes, Model, type CreationOptional, type InferAttributes, type InferCreationAttributes } from 'sequelize';
import { sequelize } from '../adapters/postgres/connection';

export class WebhookEndpoint extends Model<InferAttributes<WebhookEndpoint>, InferCreationAttributes<WebhookEndpoint>> {
  declare id: CreationOptional<number>;
  declare merchantId: number;
  /** Names its runs. */
  declare token: string;
  declare url: string;
  /** None means all. */
  declare eventTypes: string[];
  declare format: 'standard' | 'form';
  declare description: CreationOptional<string>;
  declare isEnabled: CreationOptional<boolean>;
  declare disabledReason: CreationOptional<'merchant' | 'failing' | 'gone' | null>;
  declare disabledAt: CreationOptional<Date | null>;
  declare sealedSecret: Buffer;
  /** The one before it, which lives a while longer. */
  declare sealedPreviousSecret: CreationOptional<Buffer | null>;
  declare previousSecretEndsAt: CreationOptional<Date | null>;
  /** The place of the last event that it took in hand. */
  declare cursor: number;
  declare createdAt: CreationOptional<Date>;
  declare updatedAt: CreationOptional<Date>;
}

WebhookEndpoint.init(
  {
    id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
    merchantId: DataTypes.INTEGER,
    token: DataTypes.TEXT,
    url: DataTypes.TEXT,
    eventTypes: DataTypes.ARRAY(DataTypes.TEXT),
    format: DataTypes.TEXT,
    description: DataTypes.TEXT,
    isEnabled: DataTypes.BOOLEAN,
    disabledReason: DataTypes.TEXT,
    disabledAt: DataTypes.DATE,
    sealedSecret: DataTypes.BLOB,
    sealedPreviousSecret: DataTypes.BLOB,
    previousSecretEndsAt: DataTypes.DATE,
    cursor: DataTypes.BIGINT,
    createdAt: DataTypes.DATE,
    updatedAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'webhook_endpoints' },
);

/** One attempt, as the log keeps it. Times are Unix seconds. */
export interface LoggedAttempt {
  at: number;
  duration_ms: number;
  response_code: number | null;
  error: string | null;
}

export class WebhookDelivery extends Model<InferAttributes<WebhookDelivery>, InferCreationAttributes<WebhookDelivery>> {
  declare id: CreationOptional<number>;
  declare webhookId: string;
  declare merchantId: number;
  declare endpointId: number;
  declare sequence: number | null;
  declare type: string;
  declare state: CreationOptional<'pending' | 'delivered' | 'failed' | 'dropped'>;
  declare isQueued: boolean;
  declare attempts: CreationOptional<number>;
  declare step: CreationOptional<number>;
  declare attemptLog: CreationOptional<LoggedAttempt[]>;
  declare responseCode: CreationOptional<number | null>;
  declare responseBody: CreationOptional<string | null>;
  declare error: CreationOptional<string | null>;
  declare nextAttemptAt: CreationOptional<Date | null>;
  declare settledAt: CreationOptional<Date | null>;
  declare createdAt: CreationOptional<Date>;
  declare endpoint?: WebhookEndpoint;
}

WebhookDelivery.init(
  {
    id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
    webhookId: DataTypes.TEXT,
    merchantId: DataTypes.INTEGER,
    endpointId: DataTypes.INTEGER,
    sequence: DataTypes.BIGINT,
    type: DataTypes.TEXT,
    state: DataTypes.TEXT,
    isQueued: DataTypes.BOOLEAN,
    attempts: DataTypes.INTEGER,
    step: DataTypes.INTEGER,
    attemptLog: DataTypes.JSONB,
    responseCode: DataTypes.INTEGER,
    responseBody: DataTypes.TEXT,
    error: DataTypes.TEXT,
    nextAttemptAt: DataTypes.DATE,
    settledAt: DataTypes.DATE,
    createdAt: DataTypes.DATE,
  },
  { sequelize, tableName: 'webhook_deliveries' },
);

WebhookDelivery.belongsTo(WebhookEndpoint, { as: 'endpoint', foreignKey: 'endpointId' });
