import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { createProfile, enterProfile, foreignProfiles, listProfiles, profilesPath } from '../../support/profiles';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: the profile with a token of the same session, which ends with it', async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfile(app, consumer, { pin: '1234' });
  const { status, body } = await enterProfile(app, consumer, kid, { pin: '1234' });
  expect(status).toBe(200);
  const { credentials, ...shown } = body;
  expect(shown).toEqual(kid);
  expect(credentials.expires).toBeGreaterThan(Date.now() / 1000);
  const token = credentials.access_token;
  expect((await call(app, 'GET', '/accounts', undefined, { token })).body).toMatchObject({ id: consumer.id });
  const sessions = await app.pool.query('SELECT 1 FROM sessions WHERE account_id = $1', [consumer.id]);
  expect(sessions.rows).toHaveLength(1);

  const second = await enterProfile(app, { token }, await createProfile(app, consumer, { name: 'Other' }));
  expect(second.status).toBe(200);
  await call(app, 'GET', '/accounts/logout', undefined, { token });
  for (const dead of [consumer.token, token, second.body.credentials.access_token])
    expect(await call(app, 'GET', profilesPath, undefined, { token: dead })).toMatchObject({ status: 401 });
});

test('200: a profile without a pin asks for none', async () => {
  const consumer = await createConsumer(app, merchant);
  expect(await enterProfile(app, consumer, await createProfile(app, consumer))).toMatchObject({ status: 200 });
});

test('400 missing_parameter: the profile has a pin', async () => {
  const consumer = await createConsumer(app, merchant);
  expect(await enterProfile(app, consumer, await createProfile(app, consumer, { pin: '1234' }))).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { pin: 'The pin must not be empty.' } },
  });
});

test('422 invalid_pin: a wrong pin leaves the session alone', async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfile(app, consumer, { pin: '1234' });
  expect(await enterProfile(app, consumer, kid, { pin: '4321' })).toMatchObject({
    status: 422,
    body: { error: 'invalid_pin', errors: { pin: 'The pin is not the one of this profile.' } },
  });
  expect((await listProfiles(app, consumer)).status).toBe(200);
});

test('429 too_many_requests: wrong pins have to wait, and so does the right one', async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfile(app, consumer, { pin: '1234' });
  await guessSevenTimes(app, () => enterProfile(app, consumer, kid, { pin: '0000' }));
  const blocked = await enterProfile(app, consumer, kid, { pin: '1234' });
  expect(blocked).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0);
});

test("404 profile_not_found: another account's profile, and one that never was", async () => {
  const kid = await createProfile(app, await createConsumer(app, merchant));
  const neighbour = await createConsumer(app, merchant);
  for (const path of foreignProfiles(kid))
    expect(await call(app, 'POST', `${path}/token`, {}, neighbour)).toMatchObject({
      status: 404,
      body: { error: 'profile_not_found' },
    });
});
