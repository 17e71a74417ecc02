import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { idsOf, listWatchHistory, watch, watchedBy, watchHistoryPath } from '../../support/media';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: what was watched last comes first', async () => {
  const consumer = await createConsumer(app, merchant);
  await watch(app, consumer, 'film', '0.25');
  const series = await watch(app, consumer, 'series', '0');
  expect(await watchedBy(app, consumer, '?filter=all&cursor=')).toEqual(['series', 'film']);
  const film = await watch(app, consumer, 'film', 1 / 3);
  const { status, body } = await listWatchHistory(app, consumer);
  expect({ status, body }).toEqual({ status: 200, body: { collection: [film.body, series.body], cursor: '' } });
});

test('200: `watched` is from 0.95 on, `currently_watching` is what remains', async () => {
  const consumer = await createConsumer(app, merchant);
  for (const [id, progress] of Object.entries({ begun: '0', half: '0.5', credits: '0.95', done: '1', tiny: '1e-7' }))
    expect((await watch(app, consumer, id, progress)).status).toBe(200);
  expect(await watchedBy(app, consumer, '?filter=watched')).toEqual(['done', 'credits']);
  expect(await watchedBy(app, consumer, '?filter=currently_watching')).toEqual(['tiny', 'half', 'begun']);
  expect(await watchedBy(app, consumer, '?filter=all')).toHaveLength(5);
});

test('200: pages follow the cursor within a filter', async () => {
  const consumer = await createConsumer(app, merchant);
  for (const id of ['1', '2', '3', '4', '5']) await watch(app, consumer, id, id === '3' ? '1' : '0.1');
  const page = '?filter=currently_watching&limit=2';
  const first = await listWatchHistory(app, consumer, page);
  expect(idsOf(first)).toEqual(['5', '4']);
  const second = await listWatchHistory(app, consumer, `${page}&cursor=${first.body.cursor}`);
  expect(idsOf(second)).toEqual(['2', '1']);
  expect(second.body.cursor).toBe('');
});

test('422 invalid_input: a filter that is none', async () => {
  const consumer = await createConsumer(app, merchant);
  expect(await listWatchHistory(app, consumer, '?filter=none')).toMatchObject({
    status: 422,
    body: { error: 'invalid_input' },
  });
});

test('401 invalid_auth_token: no token', async () => {
  expect(await call(app, 'GET', watchHistoryPath)).toMatchObject({
    status: 401,
    body: { error: 'invalid_auth_token' },
  });
});
