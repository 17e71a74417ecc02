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

test('200: a favourite is added once', async () => {
  const consumer = await createConsumer(app, merchant);
  const first = await addFavorite(app, consumer, 'a/b c');
  expect(first).toMatchObject({ status: 200, body: { media_id: 'a/b c' } });
  expect(first.body.created_at).toBeGreaterThan(1_700_000_000);
  await addFavorite(app, consumer, 'second');
  expect((await addFavorite(app, consumer, 'a/b c')).body).toEqual(first.body);
  expect(await favoritesOf(app, consumer)).toEqual(['second', 'a/b c']);
});

test('200: many at once are one row', async () => {
  const consumer = await createConsumer(app, merchant);
  const answers = await Promise.all(Array.from({ length: 8 }, () => addFavorite(app, consumer, 'same')));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await favoritesOf(app, consumer)).toEqual(['same']);
});

test('422 invalid_input: a media id beyond 255 characters', async () => {
  const consumer = await createConsumer(app, merchant);
  expect(await addFavorite(app, consumer, 'x'.repeat(256))).toMatchObject({
    status: 422,
    body: { error: 'invalid_input' },
  });
});

test('400 missing_parameter: no media id', async () => {
  expect(await call(app, 'POST', favoritesPath, {}, await createConsumer(app, merchant))).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter' },
  });
});
