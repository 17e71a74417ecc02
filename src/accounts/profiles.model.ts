import { boolean, defaulted, integer, modelOf, nullable, serial, text, time } from '../adapters/postgres/columns';
import { sequelize } from '../adapters/postgres/connection';

export class Profile extends modelOf({
  id: serial(),
  merchantId: integer(),
  accountId: integer(),
  name: text(),
  avatarUrl: defaulted(text()),
  isAdult: boolean(),
  pinHash: nullable(text()),
  createdAt: defaulted(time()),
  updatedAt: defaulted(time()),
}) {}
Profile.init(Profile.columns, { sequelize, tableName: 'profiles' });
