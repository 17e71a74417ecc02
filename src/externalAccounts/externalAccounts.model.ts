import { defaulted, integer, modelOf, serial, text, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';

/** An account at a live-chat partner: one for each integration and account. */
export class ExternalAccount extends modelOf({
  id: serial(),
  merchantId: integer(),
  accountId: integer(),
  /** The item of the chat that was joined last. */
  itemId: integer(),
  integration: text(),
  nickname: text(),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
ExternalAccount.init(ExternalAccount.columns, { sequelize, tableName: 'external_accounts' });
