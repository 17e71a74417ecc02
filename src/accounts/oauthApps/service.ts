import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { type z } from 'zod';
import { getOwned, transaction, type Transaction } from '../../adapters/postgres/connection';
import { baseUrl } from '../../adapters/settings';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { endSessionsOfClient } from '../tokens/service';
import { OauthApp } from './model';
import { presentApp } from './presenter';
import { type CreateAppBody, type UpdateAppBody } from './schemas';

/** The tenant that a `client_id` names. */
export interface Client {
  merchantId: number;
  merchantUuid: string;
}

export async function createApp(caller: Caller, input: z.output<typeof CreateAppBody>, request: RequestFacts) {
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
    await audit(inTransaction, caller, { action: 'app.create', appId: app.id, request });
    return { ...presentApp(app), secret };
  });
}

export async function listApps(caller: Caller) {
  const apps = await OauthApp.findAll({ where: { merchantId: caller.merchantId }, order: ['id'] });
  return { total: apps.length, collection: apps.map(presentApp) };
}

export async function updateApp(
  caller: Caller,
  appId: number,
  input: z.output<typeof UpdateAppBody>,
  request: RequestFacts,
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
      },
      { transaction: inTransaction },
    );
    if (!app.isActive) await endSessionsOfClient(inTransaction, app.clientId);
    if (!app.grantTypes.includes('client_credentials')) await endServerSessions(inTransaction, app);
    await audit(inTransaction, caller, { action: 'app.update', appId, request });
    return presentApp(app);
  });
}

export async function deleteApp(caller: Caller, appId: number, request: RequestFacts) {
  await transaction(async (inTransaction) => {
    const app = await getApp(caller, appId, inTransaction);
    // The merchant's uuid as `client_id` means this app: without it nobody could register (decisions 3).
    if (app.isDefault) throw new AppError('default_app');
    await app.destroy({ transaction: inTransaction });
    await endSessionsOfClient(inTransaction, app.clientId);
    await audit(inTransaction, caller, { action: 'app.delete', appId, request });
  });
  return message('App successfully deleted');
}

/** The old secret is dead at once, and so is whatever it opened. */
export async function replaceAppSecret(caller: Caller, appId: number, request: RequestFacts) {
  const secret = newSecret();
  await transaction(async (inTransaction) => {
    const app = await getApp(caller, appId, inTransaction);
    await app.update({ secretHash: hashOf(secret) }, { transaction: inTransaction });
    await endServerSessions(inTransaction, app);
    await audit(inTransaction, caller, { action: 'app.replace_secret', appId, request });
  });
  return { secret };
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
  return clientOf(await findUsableApp(clientId, grantType));
}

/** The same for an app that shows its secret. */
export async function getClientBySecret(clientId: string, grantType: string, secret: string): Promise<Client> {
  const app = await findUsableApp(clientId, grantType);
  const sent = hashOf(secret);
  // Compared with itself when there is none, so that no time tells which apps have one.
  const isRight = timingSafeEqual(app?.secretHash ?? sent, sent);
  return clientOf(isRight && app?.secretHash ? app : undefined);
}

/**
 * The same for an app that tokens shall be sent to: at an address it has registered, to the letter (RFC 9700 2.1). Our own
 * pages for the merchant's customers are the default app's without that: what is sent there stays here.
 */
export async function getClientOfRedirect(clientId: string, redirect: string): Promise<Client> {
  const app = await findUsableApp(clientId, 'password');
  const client = clientOf(app);
  if (!app?.redirectUris.includes(redirect) && !(app?.isDefault && isOwnEntry(redirect, client.merchantUuid)))
    throw new AppError('invalid_input', { errors: { state: "The redirect must be one of the app's redirect_uris." } });
  return client;
}

/** The paywall of an item, or the portal's sign-in, of one merchant. */
function isOwnEntry(redirect: string, merchantUuid: string): boolean {
  const { origin } = new URL(baseUrl);
  const paths = [`paywall/${merchantUuid}/\\d+`, `portal/${merchantUuid}/sign-in`];
  const pattern = new RegExp(`^/(?:${paths.join('|')})(?:\\?[\\w=&-]*)?$`);
  return redirect.startsWith(`${origin}/`) && pattern.test(redirect.slice(origin.length));
}

/** The merchant that a public call names by its uuid or by one of its apps (wire D.1): 404 where there is none. */
export async function getTenant(merchantOrClient: string): Promise<Client> {
  const app = await OauthApp.findOne({ where: { clientId: merchantOrClient.toLowerCase() }, include: 'merchant' });
  if (!app?.isActive || !app.merchant?.isActive) throw new AppError('account_not_found');
  return { merchantId: app.merchantId, merchantUuid: app.merchant.uuid };
}

/** What the app's secret opened. */
function endServerSessions(inTransaction: Transaction, app: OauthApp): Promise<void> {
  return endSessionsOfClient(inTransaction, app.clientId, { grantType: 'client_credentials' });
}

async function findUsableApp(clientId: string, grantType: string): Promise<OauthApp | undefined> {
  const app = await OauthApp.findOne({ where: { clientId: clientId.toLowerCase() }, include: 'merchant' });
  return app?.isActive && app.grantTypes.includes(grantType) && app.merchant?.isActive ? app : undefined;
}

function clientOf(app: OauthApp | undefined): Client {
  if (!app?.merchant) throw new AppError('invalid_client');
  return { merchantId: app.merchantId, merchantUuid: app.merchant.uuid };
}

interface Deed {
  action: `app.${string}`;
  appId: number;
  request: RequestFacts;
}

function audit(inTransaction: Transaction, caller: Caller, { action, appId, request }: Deed): Promise<void> {
  const { requestId } = request;
  return writeAudit(inTransaction, { ...actorOf(caller), action, objectType: 'app', objectId: appId, requestId });
}

function getApp(caller: Caller, appId: number, inTransaction: Transaction): Promise<OauthApp> {
  return getOwned(OauthApp, caller.merchantId, appId, 'app_not_found', inTransaction);
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
