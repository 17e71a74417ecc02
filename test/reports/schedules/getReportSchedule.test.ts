import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createSchedule } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: as it was made', async () => {
  const merchant = await createMerchant(app);
  const made = (await createSchedule(app, merchant)).body;
  const found = await call(app, 'GET', `/reporting/schedules/${made.id}`, undefined, merchant);
  expect(found).toMatchObject({ status: 200, body: made });
});

test('404 report_schedule_not_found: none of this number, and another merchant’s', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, await createMerchant(app))).body;
  for (const wrong of [id, 2_000_000_000])
    expect(await call(app, 'GET', `/reporting/schedules/${wrong}`, undefined, merchant)).toMatchObject({
      status: 404,
      body: { error: 'report_schedule_not_found' },
    });
});
