import { type Transaction } from '../../adapters/postgres/connection';
import { AppError } from '../../kit/errors';
import { OauthApp } from './model';

/** The tenant that a `client_id` names. */
export interface Client {
  merchantId: number;
  merchantUuid: string;
}

/** The default app's client id is the merchant's uuid: clients send either (wire D.1). */
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

/** An unknown or inactive app, and a grant type that the app does not allow, answer alike: 401 `Invalid client`. */
export async function getClient(clientId: string, grantType = 'password'): Promise<Client> {
  const app = await OauthApp.findOne({ where: { clientId: clientId.toLowerCase() }, include: 'merchant' });
  const isUsable = app?.isActive && app.grantTypes.includes(grantType) && app.merchant?.isActive;
  if (!isUsable || !app?.merchant) throw new AppError('invalid_client');
  return { merchantId: app.merchantId, merchantUuid: app.merchant.uuid };
}
