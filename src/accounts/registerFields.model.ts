import { json, boolean, defaulted, integer, modelOf, serial, text } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';

export class RegisterField extends modelOf({
  id: serial(),
  merchantId: integer(),
  name: text(),
  label: text(),
  type: text(),
  isRequired: boolean(),
  defaultValue: defaulted(text()),
  placeholder: defaulted(text()),
  /** The allowed values, each with its label. Empty: any value is allowed. */
  options: defaulted(json<Record<string, string>>()),
}) {}
RegisterField.init(RegisterField.columns, { sequelize, tableName: 'register_fields' });
