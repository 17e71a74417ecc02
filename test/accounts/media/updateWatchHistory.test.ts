import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { watch, watchedBy, watchHistoryPath } from '../../support/media';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: progress is kept, and moves its row to the front', async () => {
  const consumer = await createConsumer(app, merchant);
  const started = await watch(app, consumer, 'film', '0.25');
  expect(started).toMatchObject({ status: 200, body: { media_id: 'film', progress: 0.25 } });
  expect(Object.keys(started.body)).toEqual(['media_id', 'progress', 'created_at', 'updated_at']);
  await watch(app, consumer, 'series', '0');
  expect(await watchedBy(app, consumer)).toEqual(['series', 'film']);

  const further = await watch(app, consumer, 'film', 1 / 3);
  expect(further.body).toMatchObject({ progress: 1 / 3, created_at: started.body.created_at });
  expect(await watchedBy(app, consumer)).toEqual(['film', 'series']);
});

test('200: many at once are one row', async () => {
  const consumer = await createConsumer(app, merchant);
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((tenth) => watch(app, consumer, 'film', tenth / 10)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await watchedBy(app, consumer)).toEqual(['film']);
});

test('200: a fraction whose digits pass for a card number is a fraction', async () => {
  const consumer = await createConsumer(app, merchant);
  const { body } = await watch(app, consumer, 'film', '0.4242424242424242');
  expect(body).toMatchObject({ progress: 0.4242424242424242 });
});

test('422 invalid_input: progress outside 0 to 1 or no number', async () => {
  const consumer = await createConsumer(app, merchant);
  for (const progress of ['1.01', '-0.1', 'half', 'NaN', '1e5', ['0.1', '0.2']])
    expect(await watch(app, consumer, 'film', progress)).toMatchObject({
      status: 422,
      body: { error: 'invalid_input' },
    });
  expect(await watchedBy(app, consumer)).toEqual([]);
});

test('400 missing_parameter: no progress', async () => {
  const consumer = await createConsumer(app, merchant);
  expect(await call(app, 'PATCH', watchHistoryPath, { media_id: 'film' }, consumer)).toMatchObject({
    status: 400,
    body: { error: 'missing_parameter', errors: { progress: 'The progress must not be empty.' } },
  });
});
