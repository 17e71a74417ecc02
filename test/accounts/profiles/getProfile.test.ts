import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { createProfile, foreignProfiles, profilesPath } from '../../support/profiles';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: as it was added', async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfile(app, consumer, { avatar_url: 'https://img.example.org/kid.png', pin: '0042' });
  const { status, body } = await call(app, 'GET', `${profilesPath}/${kid.id}`, undefined, consumer);
  expect(status).toBe(200);
  expect(body).toEqual(kid);
});

test("404 profile_not_found: another account's profile, and one that never was", async () => {
  const kid = await createProfile(app, await createConsumer(app, merchant));
  const neighbour = await createConsumer(app, merchant);
  for (const path of foreignProfiles(kid))
    expect(await call(app, 'GET', path, undefined, neighbour)).toMatchObject({
      status: 404,
      body: { error: 'profile_not_found' },
    });
});
