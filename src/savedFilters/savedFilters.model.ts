import { defaulted, integer, jsonb, modelOf, serial, text, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';

/** A filter of a list that a person has saved. */
export class SavedFilter extends modelOf({
  id: serial(),
  merchantId: integer(),
  accountId: integer(),
  list: text(),
  name: text(),
  query: jsonb<Record<string, string>>(),
  createdAt: defaulted(time()),
}) {}
SavedFilter.init(SavedFilter.columns, { sequelize, tableName: 'saved_filters' });
