import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createSchedule, type Schedule } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: the merchant’s own, in the order in which they were made', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const first = (await createSchedule(app, merchant)).body;
  const second = (await createSchedule(app, merchant, { report: 'mrr' })).body;
  await createSchedule(app, other);
  const { status, body } = await call<{ collection: Schedule[] }>(
    app,
    'GET',
    '/reporting/schedules',
    undefined,
    merchant,
  );
  expect({ status, body }).toEqual({ status: 200, body: { total: 2, collection: [first, second] } });
});
