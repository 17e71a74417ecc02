import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { createSchedule, questionTokenOf, statesOf, stopTokenOf } from '../../support/reportSchedules';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const stranger = 'stranger@example.com';

const open = (token: string, language = 'en') =>
  call<string>(app, 'GET', `/reporting/confirm/${token}`, undefined, {
    headers: { Accept: 'text/html', 'Accept-Language': language },
  });

test('200: two buttons, in the language of the reader; opening the page answers nothing', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, merchant, { recipients: [stranger] })).body;
  const token = await questionTokenOf(app, merchant, stranger);
  const shown = await open(token);
  expect([shown.status, shown.body.match(/name="answer" value="\w+"/g)]).toEqual([
    200,
    ['name="answer" value="confirm"', 'name="answer" value="decline"'],
  ]);
  expect(shown.body).not.toContain(stranger);
  expect((await open(token, 'ar')).body).toContain('هل تريد تلقي التقارير؟');
  expect(await statesOf(app, merchant, id)).toEqual({ [stranger]: 'awaiting_confirmation' });
});

test('404 report_schedule_not_found: a changed link, a link that ends the reports, and one of 30 days', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, merchant, { recipients: [stranger] })).body;
  const token = await questionTokenOf(app, merchant, stranger);
  const stop = await stopTokenOf(app, id, stranger);
  for (const wrong of [stop, `${token.startsWith('A') ? 'B' : 'A'}${token.slice(1)}`, 'x'])
    expect((await open(wrong)).status).toBe(404);
  expect((await call(app, 'GET', `/reporting/stop/${token}`)).status).toBe(404);
  expect((await open(token)).status).toBe(200);
  await app.pool.query(`UPDATE report_recipients SET created_at = now() - interval '30 days' WHERE merchant_id = $1`, [
    merchant.id,
  ]);
  expect((await open(token)).status).toBe(200);
  await app.pool.query(`UPDATE report_recipients SET asked_at = asked_at - interval '30 days' WHERE merchant_id = $1`, [
    merchant.id,
  ]);
  expect((await open(token)).status).toBe(404);
});
