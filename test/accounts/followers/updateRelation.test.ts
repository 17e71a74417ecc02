import { call, listen } from '../../support/client';
import { createConsumer, createItem, createMerchant } from '../../support/factories';
import { auditOf, createFollower } from '../../support/followers';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const update = (token: string, fields: Record<string, unknown>) =>
  call(app, 'PUT', '/accounts/merchants/relation', fields, { token });

test('200: the relation, with scopes that count at once in the follower’s session', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['items:write']);
  await createItem(app, follower);
  const { status, body } = await update(master.token, {
    follower_id: follower.id,
    scopes: ['settings:write'],
    methods: { 2: '0' },
  });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      master_id: master.id,
      follower_id: follower.id,
      scopes: ['settings:write'],
      methods: { 2: false },
      created_at: expect.any(Number) as number,
    },
  });
  await until(async () => {
    const { status } = await call(app, 'PUT', '/v2/features/gifts', { enabled: true }, follower);
    return status === 200;
  });
  const item = { item_type: 'html_asset', title: 'Another' };
  expect((await call(app, 'POST', '/v2/items', item, follower)).status).toBe(403);
  expect((await auditOf(app, master))[0]).toMatchObject({ action: 'follower.update', object_id: String(follower.id) });
});

test('200: methods that are not sent stay as they are', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, []);
  await update(master.token, { follower_id: follower.id, scopes: ['items:read'], methods: { 1: false, 3: true } });
  const { body } = await update(master.token, { follower_id: follower.id, 'scopes[]': '' });
  expect(body).toMatchObject({ scopes: [], methods: { 1: false, 3: true } });
});

test('200: a follower that loses payments:read hears and reads its customers’ payments no more', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['payments:read']);
  const channel = await listen(app, follower);
  expect((await call(app, 'GET', '/subscriptions', undefined, follower)).status).toBe(200);
  await update(master.token, { follower_id: follower.id, scopes: ['items:read'] });
  expect(await channel.closed).toBe(1012);
  const again = await listen(app, follower);
  expect(await again.closed).toBe(4403);
  for (const path of ['/subscriptions', '/subscriptions/S-1', '/notifications/history'])
    expect((await call(app, 'GET', path, undefined, follower)).status).toBe(403);
});

test('400 account_does_not_exist: whoever is not a follower of the caller', async () => {
  const master = await createMerchant(app);
  const other = await createMerchant(app);
  const foreign = await createFollower(app, other, ['items:read']);
  const removed = await createFollower(app, master, ['items:read']);
  await call(app, 'DELETE', '/accounts/merchants/relation', { follower_id: removed.id }, master);
  const consumer = await createConsumer(app, master);
  for (const follower_id of [foreign.id, other.id, removed.id, consumer.id, master.id])
    expect(await update(master.token, { follower_id, scopes: ['apps:write'] })).toMatchObject({
      status: 400,
      body: { error: 'account_does_not_exist' },
    });
  const { rows } = await app.pool.query('SELECT scopes FROM follower_relations WHERE follower_id = $1', [foreign.id]);
  expect(rows).toEqual([{ scopes: ['items:read'] }]);
});

test('400 missing_parameter, 422 invalid_input: the id and known scopes', async () => {
  const master = await createMerchant(app);
  expect((await update(master.token, { follower_id: 1 })).body).toMatchObject({
    error: 'missing_parameter',
    errors: { scopes: 'The scopes must not be empty.' },
  });
  const reply = await update(master.token, { follower_id: 'x', scopes: ['all'] });
  expect(reply).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});

test('403 forbidden: a follower does not widen itself', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, ['accounts:write', 'impersonate']);
  expect((await update(follower.token, { follower_id: follower.id, scopes: ['apps:write'] })).status).toBe(403);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'PUT', '/accounts/merchants/relation', { follower_id: 1 })).status).toBe(401);
});
