import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type AuthenticationResponse } from '../../src/accounts/accounts.schemas';
import { type CreatedFollowerResponse } from '../../src/accounts/merchants/followers.schemas';
import { type AuditRecord } from '../../src/audit/audit.schemas';
import { call } from './client';
import { password, type Person } from './factories';
import { type TestApp } from './startApp';

export type CreatedFollower = z.output<typeof CreatedFollowerResponse>;
export type AuditRow = z.output<typeof AuditRecord>;

export function newFollower(fields: Record<string, unknown> = {}) {
  return { full_name: 'Regional Desk', email: `follower-${randomUUID()}@example.org`, password, ...fields };
}

/** A follower of the master, signed in by itself. */
export async function createFollower(app: TestApp, master: Person, scopes: readonly string[]): Promise<Person> {
  const { email, ...fields } = newFollower({ scopes });
  const made = await call<CreatedFollower>(app, 'POST', '/accounts/merchants', { email, ...fields }, master);
  if (made.status !== 200) throw new Error(`answered ${made.status}: ${JSON.stringify(made.body)}`);
  return signIn(app, email, made.body.account.uuid);
}

export async function signIn(app: TestApp, username: string, clientId: string): Promise<Person> {
  const { status, body } = await call<z.output<typeof AuthenticationResponse>>(app, 'POST', '/accounts/authenticate', {
    grant_type: 'password',
    client_id: clientId,
    username,
    password,
  });
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  const { id, uuid, merchant_uuid, email } = body.account;
  const { access_token: token, refresh_token: refreshToken } = body;
  return { token, refreshToken, id, uuid, merchantUuid: merchant_uuid, email };
}

/** A merchant's audit log, newest first. */
export async function auditOf(app: TestApp, merchant: Person): Promise<AuditRow[]> {
  const { body } = await call<{ collection: AuditRow[] }>(app, 'GET', '/audit?size=100', undefined, merchant);
  return body.collection;
}
