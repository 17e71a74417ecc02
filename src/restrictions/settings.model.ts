import { boolean, defaulted, integer, key, modelOf, text, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';

/** A merchant has a row from its registration on. */
export class RestrictionSettings extends modelOf({
  merchantId: key(integer()),
  ageVerificationEnabled: defaulted(boolean()),
  ageVerificationType: defaulted(text<'basic' | 'pin_code'>()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
RestrictionSettings.init(RestrictionSettings.columns, { sequelize, tableName: 'restriction_settings' });
