import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { addFavorite, listFavorites } from '../../support/media';
import { createProfile, createProfileToken, foreignProfiles, listProfiles, profilesPath } from '../../support/profiles';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: it is gone, and the next one is the default', async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfile(app, consumer, { pin: '0042' });
  const second = await createProfile(app, consumer, { name: 'Grown-up', adult: '1' });
  expect(await call(app, 'DELETE', `${profilesPath}/${kid.id}`, undefined, consumer)).toMatchObject({
    status: 200,
    body: { code: 200, message: 'Profile successfully deleted' },
  });
  expect((await listProfiles(app, consumer)).body).toEqual([{ ...second, default: true }]);
});

test('200: its token ends with it, and its favourites go along', async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfileToken(app, consumer, 'Kid');
  const teen = await createProfileToken(app, consumer, 'Teen');
  await addFavorite(app, consumer, 'news');
  await addFavorite(app, kid, 'cartoon');
  await addFavorite(app, teen, 'music');

  await call(app, 'DELETE', `${profilesPath}/${kid.id}`, undefined, consumer);
  expect(await listFavorites(app, kid)).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
  expect(await addFavorite(app, kid, 'cartoon')).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
  const { rows } = await app.pool.query(
    'SELECT media_id FROM media_favorites WHERE account_id = $1 ORDER BY media_id',
    [consumer.id],
  );
  expect(rows).toEqual([{ media_id: 'music' }, { media_id: 'news' }]);
});

test("404 profile_not_found: another account's profile, and one that never was", async () => {
  const kid = await createProfile(app, await createConsumer(app, merchant));
  const neighbour = await createConsumer(app, merchant);
  for (const path of foreignProfiles(kid))
    expect(await call(app, 'DELETE', path, undefined, neighbour)).toMatchObject({
      status: 404,
      body: { error: 'profile_not_found' },
    });
});
