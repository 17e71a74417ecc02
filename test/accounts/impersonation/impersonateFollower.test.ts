import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { auditOf, createFollower } from '../../support/followers';
import { guessSevenTimes } from '../../support/guesses';
import { PageWalker } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

interface FollowerSession {
  access_token: string;
  expires: number;
  error?: string;
}

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const naming = (follower: Person, fields: Record<string, unknown> = {}) => ({
  sign_in_as: follower.id,
  uuid: follower.uuid,
  client_id: follower.uuid,
  email: follower.email,
  grant_type: 'social',
  password,
  ...fields,
});
const impersonate = (token: string, fields: Record<string, unknown>) =>
  call<FollowerSession>(app, 'POST', '/accounts/impersonate', fields, { token });
const statusOf = async (token: string) => (await call(app, 'GET', '/accounts', undefined, { token })).status;

test('200: the relation, and an hour’s session with the follower’s scopes and the master in `act`', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['items:write']);
  const { status, body } = await impersonate(master.token, naming(follower));
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      master_id: master.id,
      follower_id: follower.id,
      scopes: ['items:write'],
      methods: {},
      created_at: expect.any(Number) as number,
      access_token: expect.any(String) as string,
      expires: expect.any(Number) as number,
      expires_at: expect.any(Number) as number,
    },
  });
  expect(Math.round((body.expires - Date.now() / 1000) / 60)).toBe(60);
  const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1] ?? '', 'base64url').toString()) as object;
  expect(claims).toMatchObject({ sub: follower.uuid, act: { sub: master.uuid } });
  const token = { token: body.access_token };
  expect((await call(app, 'GET', '/accounts', undefined, token)).body).toMatchObject({ id: follower.id });
  expect((await call(app, 'POST', '/v2/items', { item_type: 'html_asset', title: 'x' }, token)).status).toBe(201);
  expect((await call(app, 'PUT', '/v2/features/gifts', { enabled: true }, token)).status).toBe(403);
});

test('200: both audit logs tell of it, and of what is done in the follower’s name', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['accounts:read', 'items:write']);
  const { body } = await impersonate(master.token, naming(follower));
  await call(app, 'POST', '/v2/items', { item_type: 'html_asset', title: 'x' }, { token: body.access_token });
  expect((await auditOf(app, master))[0]).toMatchObject({
    action: 'impersonation.start',
    object_id: String(follower.id),
    actor_account_id: master.id,
  });
  const byMaster = { actor_account_id: follower.id, acted_by: master.uuid };
  expect((await auditOf(app, follower)).slice(0, 3)).toEqual([
    expect.objectContaining({ action: 'item.create', ...byMaster }),
    expect.objectContaining({ action: 'impersonation.write', object_id: 'createItem', ...byMaster }),
    expect.objectContaining({ action: 'impersonation.start', acted_by: master.uuid }),
  ]);
});

test('303: a page that gets the token in its cookie writes the same entries', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['accounts:read', 'items:read', 'items:write']);
  const { body } = await impersonate(master.token, naming(follower));
  const walker = new PageWalker(app, { Cookie: `console=${body.access_token}; visitor=${'v'.repeat(22)}` });
  await walker.open('/console/items/new');
  const created = await walker.submit('/console/items/new', { item_type: 'html_asset', title: 'x' });
  expect(created.status).toBe(303);
  const entries = (await auditOf(app, follower)).filter(({ acted_by: by }) => by === master.uuid);
  expect(entries.map(({ action, object_id }) => [action, object_id]).slice(0, 2)).toEqual([
    ['item.create', /\/items\/(\d+)/.exec(created.headers.get('location') ?? '')?.[1]],
    ['impersonation.write', 'createItemInConsole'],
  ]);
});

test('200: the session ends with the master’s own', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, []);
  const { body } = await impersonate(master.token, naming(follower));
  expect(await statusOf(body.access_token)).toBe(200);
  await call(app, 'GET', '/accounts/logout', undefined, master);
  await until(async () => (await statusOf(body.access_token)) === 401);
  expect(await statusOf(follower.token)).toBe(200);
});

test('422 wrong_password: the password is the caller’s', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, []);
  const reply = await impersonate(master.token, naming(follower, { password: 'not the password' }));
  expect(reply).toMatchObject({ status: 422, body: { error: 'wrong_password', message: 'Invalid credentials' } });
  expect(await statusOf(master.token)).toBe(200);
  expect((await auditOf(app, master)).map(({ action }) => action)).toEqual(['follower.create']);
});

test('429 too_many_requests: who guesses the password with a stolen token', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, []);
  const statuses = await guessSevenTimes(app, () => impersonate(master.token, naming(follower, { password: 'guess' })));
  expect(statuses[0]).toBe(422);
  expect(statuses).toContain(429);
});

test('400 account_does_not_exist: another’s follower, a former one, and names that do not fit', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, []);
  const other = await createMerchant(app);
  const foreign = await createFollower(app, other, []);
  const removed = await createFollower(app, master, []);
  await call(app, 'DELETE', '/accounts/merchants/relation', { follower_id: removed.id }, master);
  const consumer = await createConsumer(app, master);
  for (const fields of [
    naming(foreign),
    naming(removed),
    naming(other),
    naming(consumer),
    naming(follower, { uuid: foreign.uuid }),
    naming(follower, { email: foreign.email }),
  ])
    expect(await impersonate(master.token, fields)).toMatchObject({
      status: 400,
      body: { error: 'account_does_not_exist' },
    });
});

test('401 invalid_client: a client of neither; any of theirs will do', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, []);
  const other = await createMerchant(app);
  const withClient = async (client_id: string) =>
    (await impersonate(master.token, naming(follower, { client_id }))).status;
  expect(await withClient(other.uuid)).toBe(401);
  expect(await withClient('nobody')).toBe(401);
  expect(await withClient(master.uuid)).toBe(200);
  expect(await withClient('platform')).toBe(200);
});

test('400 missing_parameter, 422 invalid_input: every field counts', async () => {
  const master = await createMerchant(app);
  const { body } = await impersonate(master.token, {});
  expect(body).toMatchObject({ error: 'missing_parameter' });
  expect(Object.keys((body as unknown as { errors: object }).errors)).toHaveLength(6);
  const follower = await createFollower(app, master, []);
  expect((await impersonate(master.token, naming(follower, { grant_type: 'password' }))).status).toBe(422);
});

test('403 forbidden: a follower, and who acts as somebody already', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['impersonate']);
  const { body } = await impersonate(master.token, naming(follower));
  for (const token of [follower.token, body.access_token])
    expect((await impersonate(token, naming(follower))).status).toBe(403);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'POST', '/accounts/impersonate', {})).status).toBe(401);
});
