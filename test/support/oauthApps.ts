import { type z } from 'zod';
import { type AppListResponse, type AppResponse, type NewAppResponse } from '../../src/accounts/apps.schemas';
import { type AuthenticationResponse } from '../../src/accounts/accounts.schemas';
import { call, type Reply } from './client';
import { password, type Person } from './factories';
import { type TestApp } from './startApp';

type App = z.output<typeof AppResponse>;
type NewApp = z.output<typeof NewAppResponse>;
type AppList = z.output<typeof AppListResponse>;
type Authentication = z.output<typeof AuthenticationResponse>;

export async function createApp(app: TestApp, merchant: Person, name = 'Website'): Promise<NewApp> {
  return (await call<NewApp>(app, 'POST', '/accounts/apps', { name }, merchant)).body;
}

/** The merchant's default app is the first. */
export async function listApps(app: TestApp, merchant: Person): Promise<AppList> {
  return (await call<AppList>(app, 'GET', '/accounts/apps', undefined, merchant)).body;
}

export function updateApp(
  app: TestApp,
  merchant: Person,
  id: number,
  fields: Record<string, unknown>,
): Promise<Reply<App>> {
  return call<App>(app, 'PUT', `/accounts/apps/${id}`, { sso: false, ...fields }, merchant);
}

export function signInThrough(app: TestApp, clientId: string, person: Person): Promise<Reply<Authentication>> {
  const fields = { grant_type: 'password', client_id: clientId, username: person.email, password };
  return call<Authentication>(app, 'POST', '/accounts/authenticate', fields);
}

export function authenticateBySecret(app: TestApp, clientId: string, secret: string): Promise<Reply<Authentication>> {
  const fields = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
  return call<Authentication>(app, 'POST', '/accounts/authenticate', fields);
}

/** The actions in the merchant's audit log, newest first. */
export async function auditOf(app: TestApp, merchant: Person): Promise<object[]> {
  return (await call<{ collection: object[] }>(app, 'GET', '/audit', undefined, merchant)).body.collection;
}

/** The entry about one action on an app. */
export function deed(action: string, merchant: Person, appId: number) {
  return { action, actor_account_id: merchant.id, object_type: 'app', object_id: String(appId) };
}

/** Paths of another merchant's app, and of no app. */
export async function pathsOfNone(app: TestApp, other: Person): Promise<string[]> {
  const { id } = await createApp(app, other);
  return [`/accounts/apps/${id}`, '/accounts/apps/2147483647', '/accounts/apps/nothing'];
}

/** Every app of every merchant, as it is stored. */
export async function storedApps(app: TestApp): Promise<unknown[]> {
  return (await app.pool.query('SELECT * FROM oauth_apps ORDER BY id')).rows as unknown[];
}
