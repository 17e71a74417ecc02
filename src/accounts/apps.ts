import { randomUUID } from 'node:crypto';
import { Op } from 'sequelize';
import { type z } from 'zod';
import { getOwned, transaction, type Transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { message, type PageQuery, wholeRange } from '../kit/page';
import { hashOf, newSecret } from '../kit/secrets';
import { OauthApp } from '../oauthApps/clients';
import { presentApp } from './apps.presenter';
import { type CreateAppBody, type UpdateAppBody } from './apps.schemas';
import { endSessionsOfClient } from './tokens/tokens';

export async function createApp(caller: Caller, input: z.output<typeof CreateAppBody>, { requestId }: RequestFacts) {
  const secret = newSecret();
  const row = {
    merchantId: caller.merchantId,
    clientId: randomUUID(),
    name: input.name,
    grantTypes: ['password', 'client_credentials', 'refresh_token'],
    secretHash: hashOf(secret),
  };
  return transaction(async (inTransaction) => {
    const app = await OauthApp.create(row, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'app.create', object: ['app', app.id], requestId });
    return { ...presentApp(app), secret };
  });
}

export async function listApps({ merchantId }: Caller, query: z.output<typeof PageQuery>) {
  const { page, limit, offset } = wholeRange(query);
  const { rows, count: total } = await OauthApp.findAndCountAll({
    where: { merchantId },
    order: ['id'],
    limit,
    offset,
  });
  return { total, page, offset, limit, collection: rows.map(presentApp) };
}

/** Reads the list from the app after an id, oldest first, for an export. */
export async function readAppsAfter({ merchantId }: Caller, limit: number, after = 0) {
  const rows = await OauthApp.findAll({ where: { merchantId, id: { [Op.gt]: after } }, order: ['id'], limit });
  return rows.map(presentApp);
}

export async function updateApp(
  caller: Caller,
  appId: number,
  input: z.output<typeof UpdateAppBody>,
  { requestId }: RequestFacts,
) {
  return transaction(async (inTransaction) => {
    const app = await getApp(caller, appId, inTransaction);
    if (app.isDefault && input.active === false)
      throw new AppError('default_app', { explain: 'The default app cannot be deactivated.' });
    await app.update(
      {
        sso: input.sso,
        isActive: input.active ?? app.isActive,
        grantTypes: input.grant_types ? [...new Set(input.grant_types)] : app.grantTypes,
        name: input.name ?? app.name,
        redirectUris: input.redirect_uris ? [...new Set(input.redirect_uris)] : app.redirectUris,
        redirectOrigins: input.redirect_origins ? [...new Set(input.redirect_origins)] : app.redirectOrigins,
      },
      { transaction: inTransaction },
    );
    await audit(inTransaction, caller, { action: 'app.update', object: ['app', appId], requestId });
    if (!app.isActive) await endSessionsOfClient(inTransaction, app.clientId);
    if (!app.grantTypes.includes('client_credentials')) await endServerSessions(inTransaction, app);
    return presentApp(app);
  });
}

export async function deleteApp(caller: Caller, appId: number, { requestId }: RequestFacts) {
  await transaction(async (inTransaction) => {
    const app = await getApp(caller, appId, inTransaction);
    // The default app has the merchant's uuid as its `client_id`; without it no customer could register.
    if (app.isDefault) throw new AppError('default_app');
    await app.destroy({ transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'app.delete', object: ['app', appId], requestId });
    await endSessionsOfClient(inTransaction, app.clientId);
  });
  return message('App successfully deleted');
}

/** Replaces the secret. The previous secret and all sessions opened with it end at once. */
export async function replaceAppSecret(caller: Caller, appId: number, { requestId }: RequestFacts) {
  const secret = newSecret();
  await transaction(async (inTransaction) => {
    const app = await getApp(caller, appId, inTransaction);
    await app.update({ secretHash: hashOf(secret) }, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'app.replace_secret', object: ['app', appId], requestId });
    await endServerSessions(inTransaction, app);
  });
  return { secret };
}

/** Ends the sessions that were opened with the app's secret. */
function endServerSessions(inTransaction: Transaction, app: OauthApp): Promise<void> {
  return endSessionsOfClient(inTransaction, app.clientId, { grantType: 'client_credentials' });
}

function getApp(caller: Caller, appId: number, inTransaction: Transaction): Promise<OauthApp> {
  return getOwned(OauthApp, caller.merchantId, appId, 'app_not_found', { transaction: inTransaction });
}
