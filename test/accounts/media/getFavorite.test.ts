import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { addFavorite, favoritesOf, favoritesPath } from '../../support/media';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: as it was added, whatever its id is made of', async () => {
  const consumer = await createConsumer(app, merchant);
  const { body } = await addFavorite(app, consumer, 'a/b c');
  const one = `${favoritesPath}/${encodeURIComponent('a/b c')}`;
  expect(await call(app, 'GET', one, undefined, consumer)).toMatchObject({ status: 200, body });
});

test("404 media_not_found: another account's favourite, and one that is none", async () => {
  const consumer = await createConsumer(app, merchant);
  await addFavorite(app, consumer, 'mine');
  const neighbour = await createConsumer(app, merchant);
  for (const id of ['mine', 'never', 'x'.repeat(300)])
    expect(await call(app, 'GET', `${favoritesPath}/${id}`, undefined, neighbour)).toMatchObject({
      status: 404,
      body: { error: 'media_not_found' },
    });
  expect(await favoritesOf(app, consumer)).toEqual(['mine']);
});
