import {
  boolean,
  bytes,
  defaulted,
  integer,
  modelOf,
  nullable,
  serial,
  text,
  texts,
} from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';

export class OauthApp extends modelOf({
  id: serial(),
  merchantId: integer(),
  clientId: text(),
  name: text(),
  isActive: defaulted(boolean()),
  isDefault: defaulted(boolean()),
  grantTypes: texts(),
  sso: defaulted(boolean()),
  redirectUris: defaulted(texts()),
  /** Origins of which every address may receive tokens. */
  redirectOrigins: defaulted(texts()),
  /** SHA-256: the secret itself has 256 bits, so it needs no slow hash. */
  secretHash: nullable(bytes()),
}) {}
OauthApp.init(OauthApp.columns, { sequelize, tableName: 'oauth_apps' });

/** An active app of an active merchant. */
export interface ActiveClient {
  merchantId: number;
  merchantUuid: string;
  /** False while the merchant waits for approval or is suspended. */
  isOpen: boolean;
  isDefault: boolean;
  grantTypes: string[];
  redirectUris: string[];
  redirectOrigins: string[];
  secretHash: Buffer | null;
}

const activeClient = statement<ActiveClient>(
  'active_client',
  `SELECT o.merchant_id AS "merchantId", m.uuid AS "merchantUuid", o.is_default AS "isDefault",
     o.grant_types AS "grantTypes", o.redirect_uris AS "redirectUris",
     o.redirect_origins AS "redirectOrigins", o.secret_hash AS "secretHash",
     NOT EXISTS (SELECT FROM merchant_states s WHERE s.merchant_id = o.merchant_id
       AND (s.waiting_since IS NOT NULL OR s.suspended_at IS NOT NULL)) AS "isOpen"
   FROM oauth_apps o JOIN accounts m ON m.id = o.merchant_id
   WHERE o.client_id = $1 AND o.is_active AND m.is_active`,
);

export async function findActiveClient(clientId: string): Promise<ActiveClient | undefined> {
  return (await activeClient([clientId.toLowerCase()]))[0];
}

/** Removes the secrets of a merchant's apps. Returns the client ids of the apps that exist. */
export async function removeSecrets(inTransaction: Transaction, merchantId: number, ids: string[]): Promise<string[]> {
  const removal = `UPDATE oauth_apps SET secret_hash = NULL WHERE merchant_id = $1 AND id = ANY($2::bigint[])
    RETURNING client_id AS "clientId"`;
  const apps = await execute<{ clientId: string }>(inTransaction, removal, [merchantId, ids]);
  return apps.map(({ clientId }) => clientId);
}
