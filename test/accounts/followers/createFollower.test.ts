import { call, type Reply } from '../../support/client';
import { createConsumer, createFee, createItem, createMerchant, purchase } from '../../support/factories';
import { auditOf, createFollower, type CreatedFollower, newFollower, signIn } from '../../support/followers';
import { letPass } from '../../support/guesses';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const create = (token: string, fields: Record<string, unknown>): Promise<Reply<CreatedFollower>> =>
  call<CreatedFollower>(app, 'POST', '/accounts/merchants', fields, { token });

test('200: a new follower is a merchant of its own, with the scopes that it was given', async () => {
  const master = await createMerchant(app);
  const fields = newFollower({ master_id: master.id, scopes: { 0: 'items:write', 1: 'items:read' } });
  const { status, body } = await create(master.token, fields);
  expect(status).toBe(200);
  const { account } = body;
  expect(account).toMatchObject({
    email: fields.email,
    full_name: 'Regional Desk',
    master_id: master.id,
    scopes: ['items:read', 'items:write'],
    roles: ['merchant'],
    merchant_id: account.id,
    merchant_uuid: account.uuid,
  });
  expect(body.expires).toBe(body.expires_at);
  const follower = await signIn(app, fields.email, account.uuid);
  expect((await createItem(app, follower)).merchant_id).toBe(account.id);
  const flag = await call(app, 'PUT', '/v2/features/gifts', { enabled: true }, follower);
  expect(flag).toMatchObject({ status: 403, body: { error: 'forbidden' } });
});

test('200: the token acts as the follower in the master’s name, for an hour', async () => {
  const master = await createMerchant(app);
  const { body } = await create(master.token, newFollower({ scopes: ['items:write'] }));
  const inMinutes = (body.expires - Date.now() / 1000) / 60;
  expect(inMinutes).toBeGreaterThan(59);
  expect(inMinutes).toBeLessThan(61);
  const token = { token: body.access_token };
  expect(await call(app, 'GET', '/accounts', undefined, token)).toMatchObject({ body: { id: body.account.id } });
  const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1] ?? '', 'base64url').toString()) as object;
  expect(claims).toMatchObject({ sub: body.account.uuid, act: { sub: master.uuid }, scope: 'items:write' });
  expect(body).not.toHaveProperty('refresh_token');
});

test('429 too_many_requests: who asks again and again which addresses merchants have; nobody learns it afterwards', async () => {
  const master = await createMerchant(app);
  const { email } = await createMerchant(app);
  const ask = () => create(master.token, newFollower({ email }));
  const statuses: number[] = [];
  for (let time = 0; time < 6; time += 1) statuses.push((await ask()).status);
  expect(statuses).toEqual([409, 409, 409, 409, 409, 409]);
  await letPass(app, '-1 minute');
  expect(await ask()).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
  expect((await create(master.token, newFollower())).status).toBe(200);
});

test('200: without scopes a follower may do nothing that asks for one', async () => {
  const master = await createMerchant(app);
  const fields = newFollower({ 'scopes[]': '' });
  await create(master.token, fields);
  const { body } = await create(master.token, newFollower());
  expect(body.account.scopes).toEqual([]);
  const follower = { token: body.access_token };
  expect((await call(app, 'GET', '/audit', undefined, follower)).status).toBe(403);
});

test('200: both audit logs tell of it', async () => {
  const master = await createMerchant(app);
  const { body } = await create(master.token, newFollower({ scopes: ['accounts:read'] }));
  const [ours] = await auditOf(app, master);
  expect(ours).toMatchObject({
    action: 'follower.create',
    object_type: 'account',
    object_id: String(body.account.id),
    actor_account_id: master.id,
    acted_by: null,
  });
  const theirs = await call<{ collection: object[] }>(app, 'GET', '/audit', undefined, { token: body.access_token });
  expect(theirs.body.collection).toEqual([
    expect.objectContaining({ action: 'follower.create', actor_account_id: body.account.id, acted_by: master.uuid }),
  ]);
});

test('200: a removed follower comes back, with what it is given now', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['items:write', 'branding:write']);
  await call(app, 'DELETE', '/accounts/merchants/relation', { follower_id: follower.id }, master);
  const { status, body } = await create(master.token, { follower_id: follower.id, scopes: ['items:read'] });
  expect({ status, scopes: body.account.scopes, id: body.account.id }).toEqual({
    status: 200,
    scopes: ['items:read'],
    id: follower.id,
  });
});

test('422 invalid_input: a card, where the master switched that method off', async () => {
  const master = await createMerchant(app);
  const fields = newFollower({ scopes: ['items:write'], methods: { 1: false, 2: true } });
  const { body } = await create(master.token, fields);
  const follower = await signIn(app, fields.email, body.account.uuid);
  const consumer = await createConsumer(app, follower);
  const item = await createItem(app, follower);
  const fee = await createFee(app, follower, item.id);
  const shop = { merchant: follower, consumer, item, fee };
  const buy = () => call(app, 'POST', '/subscriptions', purchase(shop), consumer);
  expect(await buy()).toMatchObject({
    status: 422,
    body: { errors: { payment_method: expect.any(String) as string } },
  });
  const change = { follower_id: follower.id, scopes: ['items:write'], methods: { 1: true } };
  await call(app, 'PUT', '/accounts/merchants/relation', change, master);
  expect((await buy()).status).toBe(202);
});

test('409 follower_exists: an account that follows already', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['items:write']);
  const reply = await create(master.token, { follower_id: follower.id, scopes: ['items:read', 'apps:write'] });
  expect(reply).toMatchObject({ status: 409, body: { error: 'follower_exists' } });
  const { rows } = await app.pool.query('SELECT scopes FROM follower_relations WHERE follower_id = $1', [follower.id]);
  expect(rows).toEqual([{ scopes: ['items:write'] }]);
});

test('409 account_exists: another merchant has the address, in whatever spelling', async () => {
  const master = await createMerchant(app);
  const other = await createMerchant(app);
  const reply = await create(master.token, newFollower({ email: other.email.toUpperCase() }));
  expect(reply).toMatchObject({ status: 409, body: { error: 'account_exists' } });
  expect(await auditOf(app, master)).toEqual([]);
});

test('400 account_does_not_exist: nobody takes over an account by knowing its id', async () => {
  const master = await createMerchant(app);
  const other = await createMerchant(app);
  const foreign = await createFollower(app, other, ['items:write']);
  const consumer = await createConsumer(app, master);
  for (const follower_id of [other.id, foreign.id, consumer.id, master.id, 2_000_000_000])
    expect(await create(master.token, { follower_id, scopes: ['items:read'] })).toMatchObject({
      status: 400,
      body: { error: 'account_does_not_exist', message: 'The account does not exist' },
    });
  const { rows } = await app.pool.query('SELECT * FROM follower_relations WHERE master_id = $1', [master.id]);
  expect(rows).toEqual([]);
});

test('400 account_does_not_exist: a master_id that is not the caller’s', async () => {
  const master = await createMerchant(app);
  const other = await createMerchant(app);
  const reply = await create(master.token, newFollower({ master_id: other.id }));
  expect(reply).toMatchObject({ status: 400, body: { error: 'account_does_not_exist' } });
});

test('400 missing_parameter: neither an account nor what a new one needs', async () => {
  const master = await createMerchant(app);
  const reply = await create(master.token, { full_name: 'Desk' });
  expect(reply).toMatchObject({ status: 400, body: { error: 'missing_parameter' } });
  expect(Object.keys((reply.body as unknown as { errors: object }).errors)).toEqual(['email', 'password']);
});

test.each([
  ['an unknown scope', { scopes: ['everything'] }],
  ['scopes that are no list', { scopes: { a: { b: 'items:read' } } }],
  ['a short password', { password: 'short' }],
  ['a method that is no number', { methods: { card: true } }],
  ['a method without a number', { methods: ['true'] }],
  ['a method beyond all', { methods: { 101: true } }],
  ['a method that is neither on nor off', { methods: { 1: 'maybe' } }],
])('422 invalid_input: %s', async (_what, fields) => {
  const master = await createMerchant(app);
  expect(await create(master.token, newFollower(fields))).toMatchObject({
    status: 422,
    body: { error: 'invalid_input' },
  });
  expect(await auditOf(app, master)).toEqual([]);
});

test('403 forbidden: a consumer, a follower with every scope, and who acts as one', async () => {
  const master = await createMerchant(app);
  const consumer = await createConsumer(app, master);
  const { scopes } = await import('../../../src/kit/auth.js');
  const follower = await createFollower(app, master, scopes);
  const { body } = await create(master.token, newFollower({ scopes }));
  for (const token of [consumer.token, follower.token, body.access_token])
    expect((await create(token, newFollower())).status).toBe(403);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'POST', '/accounts/merchants', newFollower())).status).toBe(401);
});

describe('at once', () => {
  const outcomes = async (replies: Promise<Reply<CreatedFollower>>[]) =>
    (await Promise.all(replies)).map(({ status }) => status).sort();

  test('409 account_exists: ten with one address make one follower', async () => {
    const master = await createMerchant(app);
    const fields = newFollower({ scopes: ['items:read'] });
    const replies = Array.from({ length: 10 }, () => create(master.token, fields));
    const statuses = await outcomes(replies);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    // A caller that repeats the request this often is slowed down.
    expect(new Set(statuses)).toEqual(new Set([200, 409, 429]));
    expect(await auditOf(app, master)).toHaveLength(1);
  });

  test('409 follower_exists: ten that take one follower back take it once', async () => {
    const master = await createMerchant(app);
    const follower = await createFollower(app, master, []);
    await call(app, 'DELETE', '/accounts/merchants/relation', { follower_id: follower.id }, master);
    const replies = Array.from({ length: 10 }, () => create(master.token, { follower_id: follower.id }));
    expect(await outcomes(replies)).toEqual([200, ...Array<number>(9).fill(409)]);
    expect((await auditOf(app, master)).map(({ action }) => action)).toEqual([
      'follower.restore',
      'follower.remove',
      'follower.create',
    ]);
  });
});
