import { boolean, bytes, defaulted, integer, key, modelOf, text, time } from '../../adapters/postgres/columns';
import { sequelize } from '../../adapters/postgres/connection';

/** The identity of an account at a provider. */
export class SocialIdentity extends modelOf({
  merchantId: key(integer()),
  provider: key(text()),
  subject: key(text()),
  accountId: integer(),
  /** The identity belongs to the owner of the account's mailbox. */
  isProven: boolean(),
  createdAt: defaulted(time()),
}) {}
SocialIdentity.init(SocialIdentity.columns, { sequelize, tableName: 'social_identities' });

/** A sign-in in progress, found by the hash of its state and the hash of the secret that only the browser has. */
export class SocialSignIn extends modelOf({
  stateHash: key(bytes()),
  verifierHash: bytes(),
  provider: text(),
  clientId: text(),
  redirect: text(),
  expiresAt: time(),
}) {}
SocialSignIn.init(SocialSignIn.columns, { sequelize, tableName: 'social_sign_ins' });
