import { call } from '../../support/client';
import { createConsumer, createItem, createMerchant, password } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { createRole, createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const signIn = (email: string, clientId = 'platform') =>
  call<{ access_token: string }>(app, 'POST', '/v2/accounts/authenticate', {
    client_id: clientId,
    grant_type: 'password',
    username: email,
    password,
  });

const newItem = { item_type: 'html_asset', title: 'Cup final' };

test('200: signs in at the platform, acts for the merchant within the role, and is named in the audit log', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'editor' });
  const { status, body } = await signIn(member.email);
  expect(status).toBe(200);
  const token = body.access_token;
  expect((await call(app, 'POST', '/v2/items', newItem, { token })).status).toBe(201);
  expect((await call(app, 'GET', '/subscriptions', undefined, { token })).status).toBe(403);
  expect((await call(app, 'GET', '/accounts/followers', undefined, { token })).status).toBe(403);
  const entries = (await auditOf(app, merchant)).filter(({ actor_account_id: id }) => id === member.id);
  const account = { object_type: 'account', object_id: String(member.id) };
  const rows = entries.reverse().map(({ action, object_type, object_id, acted_by, actor_name }) => ({
    ...{ action, object_type, object_id, acted_by, actor_name },
  }));
  expect(rows).toMatchObject([
    { action: 'staff.accept', ...account, acted_by: null, actor_name: `Mira Stone (${member.email})` },
    { action: 'sign_in.succeed', ...account, acted_by: null, actor_name: `Mira Stone (${member.email})` },
    { action: 'item.create', object_type: 'item', acted_by: null, actor_name: `Mira Stone (${member.email})` },
    { action: 'request.refuse', object_type: 'endpoint', object_id: 'GET:/subscriptions' },
    { action: 'request.refuse', object_type: 'endpoint', object_id: 'GET:/accounts/followers' },
  ]);
});

test('401 invalid_credentials: a wrong password of a member is in the audit log of the merchant', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'editor' });
  const wrong = { client_id: 'platform', grant_type: 'password', username: member.email, password: `${password}x` };
  const { status, body } = await call(app, 'POST', '/v2/accounts/authenticate', wrong);
  expect({ status, body }).toMatchObject({ status: 401, body: { error: 'invalid_credentials' } });
  const failed = await until(async () => {
    const entries = await auditOf(app, merchant);
    return entries.find(({ action }) => action === 'sign_in.fail') ?? false;
  });
  expect(failed).toMatchObject({ actor_account_id: member.id, object_type: 'account', object_id: String(member.id) });
});

test('200: a role of the merchant gives exactly its scopes', async () => {
  const merchant = await createMerchant(app);
  const role_id = await createRole(app, merchant, ['items:read']);
  const member = await createStaff(app, merchant, { role_id });
  await createItem(app, merchant);
  expect((await call(app, 'GET', '/v2/staff', undefined, member)).status).toBe(403);
  expect((await call(app, 'POST', '/v2/items', newItem, member)).status).toBe(403);
  const { body } = await call(app, 'GET', '/v2/accounts', undefined, member);
  expect(body).toMatchObject({ id: member.id, merchant_id: merchant.id, roles: ['staff'] });
});

test('401 invalid_credentials: an app of the merchant does not sign its staff in', async () => {
  const merchant = await createMerchant(app);
  const member = await createStaff(app, merchant, { role: 'owner' });
  expect((await signIn(member.email, merchant.uuid)).body).toMatchObject({ error: 'invalid_credentials' });
});

test('403 forbidden: an owner manages apps, and an administrator does not, because a secret has all scopes', async () => {
  const merchant = await createMerchant(app);
  const owner = await createStaff(app, merchant, { role: 'owner' });
  const admin = await createStaff(app, merchant, { role: 'admin' });
  expect((await call(app, 'POST', '/accounts/apps', { name: 'Reader' }, owner)).status).toBe(200);
  expect((await call(app, 'POST', '/accounts/apps', { name: 'Reader' }, admin)).status).toBe(403);
});

test('403 forbidden: the staff of a follower has no more scopes than the follower', async () => {
  const master = await createMerchant(app);
  const fields = { full_name: 'Desk', email: `desk-${master.uuid}@example.org`, password };
  const made = await call<{ account: { id: number; uuid: string } }>(
    app,
    'POST',
    '/accounts/merchants',
    { ...fields, scopes: ['staff:write', 'items:read', 'items:write'] },
    master,
  );
  const { id, uuid } = made.body.account;
  const follower = { id, uuid, merchantUuid: uuid, email: fields.email, refreshToken: '' };
  const token = (await signIn(fields.email)).body.access_token;
  const role_id = await createRole(app, { ...follower, token }, ['items:read', 'items:write']);
  // The test mailbox needs a scope that the follower does not have, so the rows of the member are made here.
  const { rows } = await app.pool.query<{ id: number; email: string }>(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), $2, $3, 'staff', email, email_normalized, full_name, password_hash
     FROM accounts WHERE id = $1 RETURNING id, email`,
    [(await createConsumer(app, master)).id, id, uuid],
  );
  const [row] = rows;
  await app.pool.query('INSERT INTO staff_members (account_id, merchant_id, role_id) VALUES ($1, $2, $3)', [
    row?.id,
    id,
    role_id,
  ]);
  const member = { token: (await signIn(row?.email ?? '')).body.access_token };
  expect((await call(app, 'POST', '/v2/items', newItem, member)).status).toBe(201);
  await call(app, 'PUT', '/accounts/merchants/relation', { follower_id: id, scopes: ['items:read'] }, master);
  expect((await call(app, 'POST', '/v2/items', newItem, member)).status).toBe(403);
});
