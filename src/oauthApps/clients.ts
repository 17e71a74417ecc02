import { timingSafeEqual } from 'node:crypto';
import { type Transaction } from '../adapters/postgres/connection';
import { AppError } from '../kit/errors';
import { hashOf } from '../kit/secrets';
import { findActiveClient, OauthApp, type ActiveClient } from './oauthApps.model';

export { OauthApp };

/** The tenant of a `client_id`. */
export interface Client {
  merchantId: number;
  merchantUuid: string;
}

/** The default app's `client_id` is the merchant's uuid; clients send either. */
export async function createDefaultApp(
  merchant: { id: number; uuid: string },
  inTransaction: Transaction,
): Promise<void> {
  await OauthApp.create(
    {
      merchantId: merchant.id,
      clientId: merchant.uuid,
      name: 'Default',
      isDefault: true,
      grantTypes: ['password', 'refresh_token'],
    },
    { transaction: inTransaction },
  );
}

/**
 * An unknown or inactive app, an app of a merchant that is not open, or a grant type that the app does not allow, gets the
 * same response: 401 `Invalid client`.
 */
export async function getClient(clientId: string, grantType = 'password'): Promise<Client> {
  return clientOf(await findUsableApp(clientId, grantType));
}

/** Gets the client of an app that authenticates with its secret. */
export async function getClientBySecret(clientId: string, grantType: string, secret: string): Promise<Client> {
  const app = await findUsableApp(clientId, grantType);
  const sent = hashOf(secret);
  // An app without a secret is compared too, so that response times do not reveal which apps have one.
  const isRight = timingSafeEqual(app?.secretHash ?? sent, sent);
  return clientOf(isRight && app?.secretHash ? app : undefined);
}

/** The merchant of a public path, by its uuid or by the `client_id` of one of its apps; 404 if there is none. */
export async function getTenant(merchantOrClient: string): Promise<Client> {
  const client = await findActiveClient(merchantOrClient);
  if (!client) throw new AppError('account_not_found');
  return { merchantId: client.merchantId, merchantUuid: client.merchantUuid };
}

export async function findUsableApp(clientId: string, grantType: string): Promise<ActiveClient | undefined> {
  const client = await findActiveClient(clientId);
  return client?.isOpen && client.grantTypes.includes(grantType) ? client : undefined;
}

export function clientOf(client: ActiveClient | undefined): Client {
  if (!client) throw new AppError('invalid_client');
  return { merchantId: client.merchantId, merchantUuid: client.merchantUuid };
}
