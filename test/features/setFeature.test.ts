import { call } from '../support/client';
import { createConsumer, createMerchant } from '../support/factories';
import { createFollower } from '../support/followers';
import { startApp, type TestApp } from '../support/startApp';

interface Flag {
  name: string;
  enabled: boolean;
}

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const flagsOf = async (token: string) =>
  Object.fromEntries(
    (await call<Flag[]>(app, 'GET', '/v2/features', undefined, { token })).body.map(({ name, enabled }) => [
      name,
      enabled,
    ]),
  );

test('200: what the merchant turns off its consumers see, and nobody else’s do', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const stranger = await createConsumer(app, await createMerchant(app));
  const reply = await call<Flag>(app, 'PUT', '/v2/features/profiles', { enabled: '0' }, merchant);
  expect(reply).toMatchObject({ status: 200, body: { name: 'profiles', enabled: false } });
  expect(await flagsOf(consumer.token)).toMatchObject({ profiles: false, gifts: true });
  expect(await flagsOf(stranger.token)).toMatchObject({ profiles: true });
});

test('200: a flag of the merchant’s own, set twice, is one', async () => {
  const merchant = await createMerchant(app);
  await call(app, 'PUT', '/v2/features/dark_mode', { enabled: true }, merchant);
  await call(app, 'PUT', '/v2/features/dark_mode', { enabled: false }, merchant);
  const { body } = await call<Flag[]>(app, 'GET', '/v2/features', undefined, merchant);
  expect(body.filter(({ name }) => name === 'dark_mode')).toEqual([{ name: 'dark_mode', enabled: false }]);
  expect(body.map(({ name }) => name)).toEqual(body.map(({ name }) => name).sort());
});

test('422 invalid_input: more than 100 flags of its own, however many come at once', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query(
    `INSERT INTO feature_flags (merchant_id, name, enabled) SELECT $1, 'own-' || n, true FROM generate_series(1, 98) AS n`,
    [merchant.id],
  );
  const replies = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map((name) => call(app, 'PUT', `/v2/features/${name}`, { enabled: true }, merchant)),
  );
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422, 422]);
  expect((await call(app, 'PUT', '/v2/features/own-1', { enabled: false }, merchant)).status).toBe(200);
});

test('422 invalid_input, 400 missing_parameter: enabled is a boolean', async () => {
  const merchant = await createMerchant(app);
  expect((await call(app, 'PUT', '/v2/features/gifts', { enabled: 'maybe' }, merchant)).status).toBe(422);
  expect((await call(app, 'PUT', '/v2/features/gifts', {}, merchant)).status).toBe(400);
});

test('404 not_found: a name that no flag can have', async () => {
  const merchant = await createMerchant(app);
  expect((await call(app, 'PUT', '/v2/features/Gifts%20!', { enabled: true }, merchant)).status).toBe(404);
  expect((await call(app, 'PUT', '/v2/features/__proto__', { enabled: true }, merchant)).status).toBe(404);
});

test('403 forbidden: a consumer, and a follower without settings:write', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const allowed = await createFollower(app, merchant, ['settings:write']);
  const refused = await createFollower(app, merchant, ['accounts:write']);
  const put = async (token: string) =>
    (await call(app, 'PUT', '/v2/features/gifts', { enabled: true }, { token })).status;
  expect([await put(consumer.token), await put(refused.token), await put(allowed.token)]).toEqual([403, 403, 200]);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'PUT', '/v2/features/gifts', { enabled: true })).status).toBe(401);
});
