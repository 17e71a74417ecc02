import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { createProfile, listProfiles, profilesPath } from '../../support/profiles';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: in the order in which they were added, the first by default', async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfile(app, consumer, { avatar_url: 'https://img.example.org/kid.png', pin: '0042' });
  const second = await createProfile(app, consumer, { name: 'Grown-up', adult: '1' });
  expect(await listProfiles(app, consumer)).toMatchObject({ status: 200, body: [{ default: true }, {}] });
  expect((await listProfiles(app, consumer)).body).toEqual([kid, second]);
});

test('200: an account without profiles has an empty list', async () => {
  await createProfile(app, await createConsumer(app, merchant));
  const neighbour = await createConsumer(app, merchant);
  const { status, body } = await listProfiles(app, neighbour);
  expect({ status, body }).toEqual({ status: 200, body: [] });
});

test('401 invalid_auth_token: no token', async () => {
  expect(await call(app, 'GET', profilesPath)).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
});
