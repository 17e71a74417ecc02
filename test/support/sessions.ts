import { type z } from 'zod';
import { type SessionPage } from '../../src/accounts/tokens/sessions.schemas';
import { call } from './client';
import { password, type Person } from './factories';
import { type TestApp } from './startApp';

type Page = z.output<typeof SessionPage>;

export const iPhone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148';

/** The same person with a new session. */
export async function signInAgain(app: TestApp, person: Person, userAgent = 'a test'): Promise<Person> {
  const fields = { grant_type: 'password', client_id: person.merchantUuid, username: person.email, password };
  const path = '/accounts/authenticate';
  const { status, body } = await call<{ access_token: string; refresh_token: string }>(app, 'POST', path, fields, {
    headers: { 'User-Agent': userAgent },
  });
  if (status !== 200) throw new Error(`The sign-in was answered ${status}`);
  return { ...person, token: body.access_token, refreshToken: body.refresh_token };
}

export const listSessions = async (app: TestApp, person: Person, query = '') =>
  (await call<Page>(app, 'GET', `/accounts/sessions${query}`, undefined, person)).body;

export const sessionOf = ({ token }: Person): string =>
  (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sid: string }).sid;

export const isSignedIn = async (app: TestApp, person: Person) =>
  (await call(app, 'GET', '/accounts', undefined, person)).status === 200;

/** Ends the sessions of an account as another replica does, whose notification has not arrived yet. */
export const endUnheard = ({ pool }: Pick<TestApp, 'pool'>, { id }: Pick<Person, 'id'>) =>
  pool.query(
    `BEGIN; SET LOCAL session_replication_role = replica;
     UPDATE sessions SET revoked_at = now() WHERE account_id = ${id}; COMMIT`,
  );
