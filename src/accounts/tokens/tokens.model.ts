import {
  boolean,
  bytes,
  defaulted,
  integer,
  key,
  modelOf,
  nullable,
  text,
  texts,
  time,
  uuid,
} from '../../adapters/postgres/columns';
import { sequelize } from '../../adapters/postgres/connection';

export class Session extends modelOf({
  id: key(uuid()),
  merchantId: integer(),
  accountId: integer(),
  clientId: text(),
  /** The grant type of the sign-in. A renewal requires the same proof from the client. */
  grantType: defaulted(text()),
  /** Null: all scopes of the account. */
  scopes: nullable(texts()),
  /**
   * The account that acts in this account's name, and the actor's own session. The end of that session also ends this
   * one.
   */
  actorUuid: nullable(uuid()),
  actorSessionId: nullable(uuid()),
  /** The time when a code of the second factor was last accepted in the session. */
  factorProvenAt: nullable(time()),
  /** The company's provider has checked a second factor at the sign-in. */
  hasCompanyFactor: defaulted(boolean()),
  /** The time when the password was last entered in the session, or at the company's provider. */
  passwordProvenAt: nullable(time()),
  /** The hash of the name in the browser's cookie; null for apps. */
  browserHash: nullable(bytes()),
  deviceType: defaulted(text()),
  deviceOs: defaulted(text()),
  deviceModel: defaulted(text()),
  country: defaulted(text()),
  city: defaulted(text()),
  createdAt: defaulted(time()),
  lastUsedAt: defaulted(time()),
  expiresAt: time(),
  revokedAt: nullable(time()),
}) {}
Session.init(Session.columns, { sequelize, tableName: 'sessions' });
