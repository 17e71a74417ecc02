import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { createProfile, foreignProfiles, listProfiles, profilesPath, type Profile } from '../../support/profiles';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: what is sent changes; the avatar and the pin stay', async () => {
  const consumer = await createConsumer(app, merchant);
  const avatar = 'https://img.example.org/kid.png';
  const kid = await createProfile(app, consumer, { avatar_url: avatar, pin: '0042' });
  const one = `${profilesPath}/${kid.id}`;
  const changed = await call<Profile>(app, 'PUT', one, { name: 'Teen', adult: 'true' }, consumer);
  expect(changed).toMatchObject({
    status: 200,
    body: { id: kid.id, name: 'Teen', adult: true, avatar_url: avatar, pin_required: true },
  });
  expect((await listProfiles(app, consumer)).body).toEqual([changed.body]);
});

test('409 profile_exists: a name that is taken in the account, whatever its case', async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfile(app, consumer);
  const other = await createProfile(app, consumer, { name: 'Other' });
  const renamed = await call(app, 'PUT', `${profilesPath}/${other.id}`, { name: 'KID', adult: '0' }, consumer);
  expect(renamed).toMatchObject({ status: 409, body: { error: 'profile_exists' } });
  expect((await listProfiles(app, consumer)).body).toEqual([kid, other]);
});

test("404 profile_not_found: another account's profile, and one that never was", async () => {
  const kid = await createProfile(app, await createConsumer(app, merchant));
  const neighbour = await createConsumer(app, merchant);
  for (const path of foreignProfiles(kid))
    expect(await call(app, 'PUT', path, { name: 'Mine', adult: '1' }, neighbour)).toMatchObject({
      status: 404,
      body: { error: 'profile_not_found' },
    });
});
