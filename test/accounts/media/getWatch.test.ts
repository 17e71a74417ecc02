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

test('200: how far it was watched the last time', async () => {
  const consumer = await createConsumer(app, merchant);
  await watch(app, consumer, 'film', '0.25');
  const further = await watch(app, consumer, 'film', 1 / 3);
  const { status, body } = await call(app, 'GET', `${watchHistoryPath}/film`, undefined, consumer);
  expect(status).toBe(200);
  expect(body).toEqual(further.body);
});

test('404 media_not_found: what only another account has watched', async () => {
  const consumer = await createConsumer(app, merchant);
  await watch(app, consumer, 'film', '0.5');
  const neighbour = await createConsumer(app, await createMerchant(app));
  expect(await call(app, 'GET', `${watchHistoryPath}/film`, undefined, neighbour)).toMatchObject({
    status: 404,
    body: { error: 'media_not_found' },
  });
  expect(await watchedBy(app, consumer)).toEqual(['film']);
});
