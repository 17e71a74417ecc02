import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { addFavorite, favoritesOf, favoritesPath, listFavorites } from '../../support/media';
import { createProfileToken } from '../../support/profiles';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: newest first; what is added again stays where it is', async () => {
  const consumer = await createConsumer(app, merchant);
  const first = await addFavorite(app, consumer, 'a/b c');
  const second = await addFavorite(app, consumer, 'second');
  await addFavorite(app, consumer, 'a/b c');
  const { status, body } = await listFavorites(app, consumer);
  expect({ status, body }).toEqual({ status: 200, body: { collection: [second.body, first.body], cursor: '' } });
});

test('200: pages follow the cursor, and what comes new meanwhile moves none', async () => {
  const consumer = await createConsumer(app, merchant);
  for (const id of ['1', '2', '3', '4', '5']) await addFavorite(app, consumer, id);
  const seen: string[] = [];
  let cursor = '';
  do {
    const { body } = await listFavorites(app, consumer, `?limit=2&cursor=${cursor}`);
    seen.push(...body.collection.map(({ media_id }) => media_id));
    cursor = body.cursor;
    await addFavorite(app, consumer, `new-${seen.length}`);
  } while (cursor !== '');
  expect(seen).toEqual(['5', '4', '3', '2', '1']);
});

test('200: an account and each of its profiles have lists of their own', async () => {
  const consumer = await createConsumer(app, merchant);
  const kid = await createProfileToken(app, consumer, 'Kid');
  const teen = await createProfileToken(app, consumer, 'Teen');
  await addFavorite(app, consumer, 'news');
  await addFavorite(app, kid, 'cartoon');
  await addFavorite(app, teen, 'music');
  const lists = [await favoritesOf(app, consumer), await favoritesOf(app, kid), await favoritesOf(app, teen)];
  expect(lists).toEqual([['news'], ['cartoon'], ['music']]);
});

test('422 invalid_input: a cursor that is none, a limit out of bounds', async () => {
  const consumer = await createConsumer(app, merchant);
  for (const query of ['?cursor=abc', '?limit=0', '?limit=501', '?cursor=-1'])
    expect(await listFavorites(app, consumer, query)).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});

test('401 invalid_auth_token: no token', async () => {
  expect(await call(app, 'GET', favoritesPath)).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
});
