import { createHash, randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type AuthenticationResponse } from '../../src/accounts/accounts.schemas';
import { type InvitationResponse } from '../../src/accounts/staff/staff.schemas';
import { call } from './client';
import { password, type Person } from './factories';
import { receives, tokenIn } from './mailbox';
import { type TestApp } from './startApp';

type Invitation = z.output<typeof InvitationResponse>;

export const newAddress = () => `staff-${randomUUID()}@example.org`;

const send = async (app: TestApp, fields: Record<string, unknown>, sender: { token: string }): Promise<Invitation> => {
  const sent = await call<Invitation>(app, 'POST', '/v2/staff/invitations', fields, sender);
  if (sent.status !== 200) throw new Error(`answered ${sent.status}: ${JSON.stringify(sent.body)}`);
  return sent.body;
};

/** An invitation and the token of its mail. */
export async function invite(
  app: TestApp,
  merchant: Person,
  fields: Record<string, unknown>,
  sender: { token: string } = merchant,
): Promise<Invitation & { token: string }> {
  const sent = await send(app, { email: newAddress(), ...fields }, sender);
  return { ...sent, token: tokenIn(await receives(app, merchant, sent.email, 'staff_invitation')) };
}

/** The same for a sender who may not read the test mailbox: the token replaces the one of the mail. */
export async function inviteUnread(
  app: TestApp,
  sender: { token: string },
  fields: Record<string, unknown>,
): Promise<Invitation & { token: string }> {
  const sent = await send(app, { email: newAddress(), ...fields }, sender);
  const token = randomUUID();
  const hash = createHash('sha256').update(token).digest();
  await app.pool.query('UPDATE staff_invitations SET token_hash = $2 WHERE id = $1', [sent.id, hash]);
  return { ...sent, token };
}

export const acceptance = (token: string) => ({
  token,
  full_name: 'Mira Stone',
  password,
  password_confirmation: password,
});

/** A member of the staff with a role, signed in. */
export async function createStaff(app: TestApp, merchant: Person, fields: Record<string, unknown>): Promise<Person> {
  const { token, email } = await inviteUnread(app, merchant, fields);
  const path = '/v2/staff/invitations/accept';
  const { body } = await call<z.output<typeof AuthenticationResponse>>(app, 'POST', path, acceptance(token));
  const { id, uuid, merchant_uuid: merchantUuid } = body.account;
  return { id, uuid, merchantUuid, email, token: body.access_token, refreshToken: body.refresh_token, isStaff: true };
}

export async function createRole(app: TestApp, merchant: Person, scopes: readonly string[]): Promise<number> {
  const fields = { name: `Role ${randomUUID()}`, scopes: scopes.length > 0 ? scopes : [''] };
  return (await call<{ id: number }>(app, 'POST', '/v2/staff/roles', fields, merchant)).body.id;
}
