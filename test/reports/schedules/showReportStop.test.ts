import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createSchedule, stopTokenOf } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const open = (token: string, language = 'en') =>
  call<string>(app, 'GET', `/reporting/stop/${token}`, undefined, {
    headers: { Accept: 'text/html', 'Accept-Language': language },
  });

test('200: a button, in the language of the reader; opening the page ends nothing', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, merchant, { recipients: ['stranger@example.com'] })).body;
  const token = await stopTokenOf(app, id, 'stranger@example.com');
  const shown = await open(token);
  expect([shown.status, shown.body.includes('<form method="post">')]).toEqual([200, true]);
  expect(shown.body).toContain('Stop scheduled reports');
  expect(shown.body).not.toContain('stranger@example.com');
  expect((await open(token, 'ar')).body).toContain('إيقاف التقارير المجدولة');
  expect((await call(app, 'GET', `/reporting/schedules/${id}`, undefined, merchant)).status).toBe(200);
});

test('404 report_schedule_not_found: a changed link, and one of somebody who is no recipient', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, merchant, { recipients: ['stranger@example.com'] })).body;
  const token = await stopTokenOf(app, id, 'other@example.com');
  for (const wrong of [token, `A${token.slice(1)}`, 'x']) expect((await open(wrong)).status).toBe(404);
});
