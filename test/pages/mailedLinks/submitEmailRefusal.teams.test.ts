import { call } from '../../support/client';
import { confirmEmail, newAddress, requestEmail } from '../../support/emailChanges';
import { createMerchant, type Person } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { authenticateBySecret, createApp } from '../../support/oauthApps';
import { acceptance, createStaff, inviteUnread } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** A thief in the account of a merchant or of its staff can also give access to itself by other ways. */
let app: TestApp;
beforeAll(async () => (app = await startApp({ RATE_LIMIT_SIGN_INS: '400' })));
afterAll(() => app.stop());

async function createOwner(): Promise<Person> {
  const merchant = await createMerchant(app);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [merchant.id]);
  return merchant;
}

/** `begins`: when the week before the request begins. */
async function refuseChange(merchant: Person, { person = merchant, begins }: { person?: Person; begins?: Date } = {}) {
  const email = newAddress();
  await requestEmail(app, person, { email });
  const confirm = tokenIn(await receives(app, merchant, email, 'email_change'));
  expect((await confirmEmail(app, confirm)).status).toBe(200);
  const undo = tokenIn(await receives(app, merchant, person.email, 'email_changed'));
  if (begins) {
    const text = `UPDATE email_changes SET created_at = $2::timestamptz + interval '7 days' WHERE account_id = $1`;
    await app.pool.query(text, [person.id, begins]);
  }
  return call<string>(app, 'POST', `/accounts/email/stop/${undo}`, {});
}

const replaceSecret = async (merchant: Person, id: number) =>
  (await call<{ secret: string }>(app, 'PUT', `/accounts/apps/${id}/secret`, undefined, merchant)).body.secret;

test('200: secrets of apps that were made since a week before the request open nothing, and older ones stay', async () => {
  const merchant = await createOwner();
  const [older, replaced] = [await createApp(app, merchant), await createApp(app, merchant)];
  const { rows } = await app.pool.query<{ begins: Date }>(`SELECT now() + interval '1 ms' AS begins`);
  const made = await createApp(app, merchant);
  const secret = await replaceSecret(merchant, replaced.id);
  const server = await authenticateBySecret(app, made.client_id, made.secret);
  expect([server.status, (await authenticateBySecret(app, replaced.client_id, secret)).status]).toEqual([200, 200]);
  const [begins] = rows;
  const { body } = await refuseChange(merchant, begins);
  expect(body).toContain('check your team, your apps');
  const tries = [
    await authenticateBySecret(app, older.client_id, older.secret),
    await authenticateBySecret(app, replaced.client_id, secret),
    await authenticateBySecret(app, made.client_id, made.secret),
  ];
  expect(tries.map(({ status }) => status)).toEqual([200, 401, 401]);
  const token = { token: server.body.access_token };
  expect((await call(app, 'GET', '/accounts', undefined, token)).status).toBe(401);
});

test('200: sessions that were opened with such a secret in the name of the merchant end, if a member of the staff made it', async () => {
  const merchant = await createOwner();
  const member = await createStaff(app, merchant, { role: 'owner' });
  const made = await createApp(app, member);
  const server = await authenticateBySecret(app, made.client_id, made.secret);
  const others = await createApp(app, merchant);
  await refuseChange(merchant, { person: member });
  const token = { token: server.body.access_token };
  expect((await call(app, 'GET', '/accounts', undefined, token)).status).toBe(401);
  expect((await authenticateBySecret(app, made.client_id, made.secret)).status).toBe(401);
  expect((await authenticateBySecret(app, others.client_id, others.secret)).status).toBe(200);
});

test('200: invitations of the account end, and those of others stay', async () => {
  const merchant = await createOwner();
  const member = await createStaff(app, merchant, { role: 'admin' });
  const [own, others] = [
    await inviteUnread(app, member, { role: 'editor' }),
    await inviteUnread(app, merchant, { role: 'editor' }),
  ];
  await refuseChange(merchant, { person: member });
  const accept = (token: string) => call(app, 'POST', '/v2/staff/invitations/accept', acceptance(token));
  expect((await accept(own.token)).status).toBe(422);
  expect((await accept(others.token)).status).toBe(200);
});
