import {
  bigint,
  bigserial,
  boolean,
  bytes,
  defaulted,
  integer,
  jsonb,
  modelOf,
  nullable,
  serial,
  text,
  texts,
  time,
} from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';

export class WebhookEndpoint extends modelOf({
  id: serial(),
  merchantId: integer(),
  /** Part of the ids of the endpoint's runs. */
  token: text(),
  url: text(),
  /** Empty means all types. */
  eventTypes: texts(),
  format: text<'standard' | 'form'>(),
  description: defaulted(text()),
  isEnabled: defaulted(boolean()),
  disabledReason: nullable(text<'merchant' | 'failing' | 'gone'>()),
  disabledAt: nullable(time()),
  sealedSecret: bytes(),
  /** The replaced secret, which also signs until `previousSecretEndsAt`. */
  sealedPreviousSecret: nullable(bytes()),
  previousSecretEndsAt: nullable(time()),
  /** The sequence number of the last event that was considered for this endpoint. */
  cursor: bigint(),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
WebhookEndpoint.init(WebhookEndpoint.columns, { sequelize, tableName: 'webhook_endpoints' });

/** One entry of the log of attempts. Times are Unix seconds. */
export interface LoggedAttempt {
  at: number;
  duration_ms: number;
  response_code: number | null;
  error: string | null;
}

export class WebhookDelivery extends modelOf({
  id: bigserial(),
  webhookId: text(),
  merchantId: integer(),
  endpointId: integer(),
  sequence: nullable(bigint()),
  /** The account that the event is about; null for a test. */
  aboutAccountId: nullable(integer()),
  type: text(),
  state: defaulted(text<'pending' | 'delivered' | 'failed' | 'dropped'>()),
  isQueued: boolean(),
  attempts: defaulted(integer()),
  step: defaulted(integer()),
  attemptLog: defaulted(jsonb<LoggedAttempt[]>()),
  responseCode: nullable(integer()),
  responseBody: nullable(text()),
  error: nullable(text()),
  nextAttemptAt: nullable(time()),
  scheduledFor: nullable(time()),
  firstFailedAt: nullable(time()),
  settledAt: nullable(time()),
  createdAt: defaulted(time()),
}) {
  declare endpoint?: WebhookEndpoint;
}

WebhookDelivery.init(WebhookDelivery.columns, { sequelize, tableName: 'webhook_deliveries' });

WebhookDelivery.belongsTo(WebhookEndpoint, { as: 'endpoint', foreignKey: 'endpointId' });
