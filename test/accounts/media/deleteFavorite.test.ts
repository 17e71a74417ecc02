import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { addFavorite, favoritesOf, favoritesPath } from '../../support/media';
import { createProfileToken } from '../../support/profiles';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: it is removed, and no other', async () => {
  const consumer = await createConsumer(app, merchant);
  await addFavorite(app, consumer, 'a/b c');
  await addFavorite(app, consumer, 'second');
  const one = `${favoritesPath}/${encodeURIComponent('a/b c')}`;
  expect(await call(app, 'DELETE', one, undefined, consumer)).toMatchObject({
    status: 200,
    body: { code: 200, message: 'Media item has been successfully removed from favorites.' },
  });
  expect(await favoritesOf(app, consumer)).toEqual(['second']);
});

test("404 media_not_found: another account's favourite, and one that is none", async () => {
  const consumer = await createConsumer(app, merchant);
  await addFavorite(app, consumer, 'mine');
  const neighbour = await createConsumer(app, merchant);
  for (const id of ['mine', 'never', 'x'.repeat(300)])
    expect(await call(app, 'DELETE', `${favoritesPath}/${id}`, undefined, neighbour)).toMatchObject({
      status: 404,
      body: { error: 'media_not_found' },
    });
  expect(await favoritesOf(app, consumer)).toEqual(['mine']);
});

test("404 media_not_found: a profile's favourite is none of the account's", async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfileToken(app, consumer, 'Kid');
  await addFavorite(app, kid, 'cartoon');
  const removed = await call(app, 'DELETE', `${favoritesPath}/cartoon`, undefined, consumer);
  expect(removed).toMatchObject({ status: 404, body: { error: 'media_not_found' } });
  expect(await favoritesOf(app, kid)).toEqual(['cartoon']);
});
