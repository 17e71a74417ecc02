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

test('200: it is removed, and no other', async () => {
  const consumer = await createConsumer(app, merchant);
  await watch(app, consumer, 'series', '0');
  await watch(app, consumer, 'film', '0.25');
  expect(await call(app, 'DELETE', `${watchHistoryPath}/film`, undefined, consumer)).toMatchObject({
    status: 200,
    body: { code: 200, message: 'Media item has been successfully removed from the list.' },
  });
  expect(await watchedBy(app, consumer)).toEqual(['series']);
});

test('404 media_not_found: what only another account has watched', async () => {
  const consumer = await createConsumer(app, merchant);
  await watch(app, consumer, 'film', '0.5');
  const neighbour = await createConsumer(app, await createMerchant(app));
  expect(await call(app, 'DELETE', `${watchHistoryPath}/film`, undefined, neighbour)).toMatchObject({
    status: 404,
    body: { error: 'media_not_found' },
  });
  expect(await watchedBy(app, consumer)).toEqual(['film']);
});
