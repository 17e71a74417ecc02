import {
  boolean,
  day,
  defaulted,
  integer,
  jsonb,
  modelOf,
  nullable,
  serial,
  text,
  time,
  uuid,
} from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';

export class Account extends modelOf({
  id: serial(),
  uuid: uuid(),
  merchantId: integer(),
  merchantUuid: uuid(),
  role: text<'merchant' | 'consumer' | 'operator' | 'staff'>(),
  email: text(),
  emailNormalized: text(),
  fullName: text(),
  passwordHash: text(),
  metadata: defaulted(jsonb<Record<string, string>>()),
  /** The providers at which the account also signs in, as `{name}` objects. */
  socialAppsMetadata: defaulted(jsonb<Record<string, string>[]>()),
  referrer: defaulted(text()),
  /** `YYYY-MM-DD`. */
  dateOfBirth: nullable(day()),
  /** The language of mails to the account, if it is known. */
  language: nullable(text()),
  isActive: defaulted(boolean()),
  activatedAt: nullable(time()),
  /** The erasure has been requested: the account is no longer charged. */
  erasingAt: nullable(time()),
  /** The account is erased: the row never changes again. */
  erasedAt: nullable(time()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
Account.init(Account.columns, { sequelize, tableName: 'accounts' });
