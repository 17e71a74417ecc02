import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { createFollower } from '../../support/followers';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const list = (token: string) =>
  call<{ id: number; country: string | null }[]>(app, 'GET', '/accounts/followers', undefined, { token });

test('200: the followers that a master has now, and nobody else’s', async () => {
  const master = await createMerchant(app);
  const first = await createFollower(app, master, ['items:read']);
  const second = await createFollower(app, master, ['apps:write']);
  const removed = await createFollower(app, master, []);
  await createFollower(app, await createMerchant(app), ['items:read']);
  await call(app, 'DELETE', '/accounts/merchants/relation', { follower_id: removed.id }, master);
  const { status, body } = await list(master.token);
  expect(status).toBe(200);
  expect(body.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect(body[0]).toEqual({
    id: first.id,
    uuid: first.uuid,
    email: first.email,
    full_name: 'Regional Desk',
    country: null,
    active: true,
    merchant_id: first.id,
    is_master: false,
    scopes: ['items:read'],
    methods: {},
    created_at: expect.any(Number) as number,
  });
});

test('200: the country is an ISO 3166-1 code or null, whatever the follower has entered', async () => {
  const master = await createMerchant(app);
  const follower = await createFollower(app, master, []);
  const countryAfter = async (country: string) => {
    const fields = { full_name: 'Regional Desk', metadata: { country } };
    expect((await call(app, 'PUT', '/accounts', fields, follower)).status).toBe(200);
    return (await list(master.token)).body[0]?.country;
  };
  expect(await countryAfter('MK')).toBe('MK');
  expect(await countryAfter('de')).toBe('DE');
  for (const text of ['Not a code, any text', 'XX', 'M', 'MKD', ' ']) expect(await countryAfter(text)).toBeNull();
});

test('200: page and size select a part of the list', async () => {
  const master = await createMerchant(app);
  const made = [await createFollower(app, master, []), await createFollower(app, master, [])];
  const page = (query: string) =>
    call<{ id: number }[]>(app, 'GET', `/accounts/followers${query}`, undefined, master).then(({ body }) => body);
  expect((await page('?size=1&page=2')).map(({ id }) => id)).toEqual([made[1]?.id]);
  expect((await page('')).map(({ id }) => id)).toEqual(made.map(({ id }) => id));
});

test('200: a master without followers has an empty list', async () => {
  expect((await list((await createMerchant(app)).token)).body).toEqual([]);
});

test('403 forbidden: a consumer and a follower', async () => {
  const master = await createMerchant(app);
  const consumer = await createConsumer(app, master);
  const follower = await createFollower(app, master, ['accounts:read', 'impersonate']);
  expect([(await list(consumer.token)).status, (await list(follower.token)).status]).toEqual([403, 403]);
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'GET', '/accounts/followers')).status).toBe(401);
});
