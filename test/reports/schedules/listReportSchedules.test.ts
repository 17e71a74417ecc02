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

test('200: the file has the state of each recipient, in the order of the recipients', async () => {
  const merchant = await createMerchant(app);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [merchant.id]);
  await createSchedule(app, merchant, { recipients: ['stranger@example.com', merchant.email] });
  const { body } = await call<string>(app, 'GET', '/reporting/exports/report-schedules', undefined, merchant);
  const [head = '', line = ''] = body.trim().split('\r\n');
  const index = head.split(',').indexOf('recipient_states');
  expect(head.split(',')[index - 1]).toBe('recipients');
  const cells = line.split(',');
  expect([cells[index - 1], cells[index]]).toEqual([
    `stranger@example.com; ${merchant.email}`,
    'awaiting_confirmation; confirmed',
  ]);
});
